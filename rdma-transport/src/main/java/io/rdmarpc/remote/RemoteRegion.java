package io.rdmarpc.remote;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.link.Lease;
import io.rdmarpc.remote.link.RegionLease;
import io.rdmarpc.remote.support.LeaseDurations;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer, leased: it is read and written by the NICs, without the peer's processors. Made by {@link
 * RemotePeer#allocate} or {@link RemotePeer#open}, or come as an argument or result of a call. A {@link #slice} is a part of
 * it and ends with it. Any thread.
 *
 * <p>What {@link RemoteMemory#lend} makes stands for own memory: it is for sending, and its operations are refused here.
 *
 * <p>What is out of bounds, not among the {@link #rights}, or after the end of the lease is refused here before it is
 * posted; the owner's NIC refuses it again. An operation that was started is carried out, also when its future is
 * cancelled; until the device is done it keeps its local slice, and {@link #free} waits for it.
 *
 * <p>Futures of reads, writes and atomics complete on a polling thread: do not wait for another operation there. All other
 * futures of remote memory complete on a virtual thread of their own.
 */
public final class RemoteRegion implements AutoCloseable {

    private static final int WORD = Long.BYTES;

    private final MemoryCore core;
    private final RegionAccess access;

    private RemoteRegion(RegionAccess access) {
        this.core = access.core();
        this.access = access;
    }

    static RemoteRegion all(MemoryCore core, Lease lease) {
        return new RemoteRegion(new RegionAccess(core, lease, 0, lease.bytes()));
    }

    /**
     * Returns its size.
     *
     * @return bytes
     */
    public long length() {
        return access.length();
    }

    /**
     * Returns what may be done with it.
     *
     * @return the rights that the owner has given
     */
    public Set<RemoteRight> rights() {
        return access.lease().rights();
    }

    /**
     * Tells how long the lease goes on, by the own clock: the owner's ends a little later. That of a region which came with
     * a call is not known before it is used or {@linkplain #renew renewed}.
     *
     * @return the time, zero when it is over, the longest there is when it is not known
     */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, access.lease().remainingNanos()));
    }

    /**
     * Tells whether operations are taken.
     *
     * @return false after the lease, after {@link #free}, and when the owner took it back or is gone
     */
    public boolean isUsable() {
        return access.lease().isUsable();
    }

    /**
     * Takes a part, which ends with the region.
     *
     * @param offset bytes from the first
     * @param bytes how many
     * @return the part
     * @throws IndexOutOfBoundsException when it is not inside
     */
    public RemoteRegion slice(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, length());
        return new RemoteRegion(access.slice(offset, bytes));
    }

    /**
     * Reads.
     *
     * @param offset from which byte
     * @param into where to, as many bytes as are read; not to be touched until the end
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> readAsync(long offset, LocalSlice into) {
        return access.read(offset, into);
    }

    /**
     * Reads, and waits for the end.
     *
     * @param offset from which byte
     * @param into where to, as many bytes as are read
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public void read(long offset, LocalSlice into) {
        core.responseTimeout().await(readAsync(offset, into), into.length(), "a read of " + into.length() + " bytes");
    }

    /**
     * Reads into an array, through registered memory that is kept for that.
     *
     * @param offset from which byte
     * @param bytes how many
     * @return a new array
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public byte[] read(long offset, int bytes) {
        access.check(RemoteRight.READ, offset, bytes);
        return core.staging().use(bytes, slice -> {
            read(offset, slice);
            return slice.toBytes();
        });
    }

    /**
     * Reads into an array, through registered memory that is kept for that.
     *
     * @param offset from which byte
     * @param bytes how many
     * @return completed with a new array
     */
    public CompletableFuture<byte[]> readAsync(long offset, int bytes) {
        return access.read(offset, bytes);
    }

    /**
     * Writes an array, through registered memory that is kept for that.
     *
     * @param offset to which byte
     * @param bytes what; copied before this returns
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeAsync(long offset, byte[] bytes) {
        return access.write(offset, bytes);
    }

    /**
     * Writes.
     *
     * @param offset to which byte
     * @param from the bytes; may be read but not written until the end
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeAsync(long offset, LocalSlice from) {
        return access.write(offset, from);
    }

    /**
     * Writes, and waits for the end.
     *
     * @param offset to which byte
     * @param from the bytes
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public void write(long offset, LocalSlice from) {
        core.responseTimeout().await(writeAsync(offset, from), from.length(), "a write of " + from.length() + " bytes");
    }

    /**
     * Writes an array, through registered memory that is kept for that.
     *
     * @param offset to which byte
     * @param bytes what
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public void write(long offset, byte[] bytes) {
        access.check(RemoteRight.WRITE, offset, bytes.length);
        core.staging().use(bytes.length, slice -> {
            write(offset, slice.put(bytes));
            return bytes;
        });
    }

    /**
     * Writes, and has the owner's {@link WriteListener} told when the bytes are there. Needs {@link RemoteRight#NOTIFY} and
     * {@link RemoteRight#WRITE}.
     *
     * @param offset to which byte
     * @param from the bytes, at most 256 MiB or a message of the device, may be empty; may be read but not written until the end
     * @param tag what the listener is to know, 0 to 65535
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeWithNotifyAsync(long offset, LocalSlice from, int tag) {
        return access.writeWithNotify(offset, from, tag);
    }

    /**
     * Writes, has the owner told, and waits until its NIC has the bytes.
     *
     * @param offset to which byte
     * @param from the bytes, at most 256 MiB or a message of the device, may be empty
     * @param tag what the listener is to know, 0 to 65535
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public void writeWithNotify(long offset, LocalSlice from, int tag) {
        core.responseTimeout()
                .await(
                        writeWithNotifyAsync(offset, from, tag),
                        from.length(),
                        "a write of " + from.length() + " bytes");
    }

    /**
     * Compares 8 bytes, a number in the owner's byte order, and replaces them when they are as expected; atomically among
     * operations of RDMA devices, not against the owner's processors.
     *
     * @param offset of the first byte; its address must be a multiple of 8, as the region's beginning is
     * @param expected what must be there
     * @param update what replaces it
     * @return completed with the value found: the swap took place when it is the one expected
     */
    public CompletableFuture<Long> compareAndSwapAsync(long offset, long expected, long update) {
        return access.compareAndSwap(offset, expected, update);
    }

    /**
     * Compares and swaps, and waits for the end.
     *
     * @param offset of the first byte
     * @param expected what must be there
     * @param update what replaces it
     * @return the value found
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public long compareAndSwap(long offset, long expected, long update) {
        return core.responseTimeout().await(compareAndSwapAsync(offset, expected, update), WORD, "a compare-and-swap");
    }

    /**
     * Adds to 8 bytes, a number in the owner's byte order; atomically among operations of RDMA devices, not against the
     * owner's processors.
     *
     * @param offset of the first byte; its address must be a multiple of 8, as the region's beginning is
     * @param addend what to add
     * @return completed with the value found before
     */
    public CompletableFuture<Long> getAndAddAsync(long offset, long addend) {
        return access.getAndAdd(offset, addend);
    }

    /**
     * Adds, and waits for the end.
     *
     * @param offset of the first byte
     * @param addend what to add
     * @return the value found before
     * @throws RdmaRemoteMemoryException when it is refused here or the owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when the NIC reports a failure
     */
    public long getAndAdd(long offset, long addend) {
        return core.responseTimeout().await(getAndAddAsync(offset, addend), WORD, "a get-and-add");
    }

    /**
     * Asks for a longer lease. That of a grant is its owner's: then this only learns how long it goes on.
     *
     * @param lease how long from now, over 0; the owner may give less
     * @return completed when {@link #remaining} has the new time
     */
    public CompletableFuture<Void> renewAsync(Duration lease) {
        return core.threads()
                .offControlThread(
                        access.lease().renew(LeaseDurations.check(lease).toNanos()));
    }

    /**
     * Asks for a longer lease, and waits for the answer.
     *
     * @param lease how long from now, over 0; the owner may give less
     * @throws RdmaRemoteMemoryException when the lease was over before, or the owner is gone
     */
    public void renew(Duration lease) {
        core.responseTimeout().await(renewAsync(lease), "a renewal");
    }

    /**
     * Gives the region back, when all its operations have ended. That is all of it, also when this is a slice.
     *
     * @return completed when the owner has it again
     */
    public CompletableFuture<Void> freeAsync() {
        return core.threads().offControlThread(access.lease().free());
    }

    /**
     * Gives the region back and waits until the owner has it again. That is all of it, also when this is a slice. A second
     * call only waits.
     *
     * @throws RdmaRemoteMemoryException when the owner does not answer
     */
    public void free() {
        core.responseTimeout().await(freeAsync(), "giving " + this + " back");
    }

    /** As {@link #free}, and an owner that is gone is no failure. */
    @Override
    public void close() {
        try {
            free();
        } catch (RdmaRemoteMemoryException e) {
            if (e.reason() != Reason.LOST) {
                throw e;
            }
        }
    }

    /** How long a write with a notice may be. */
    long mostBytesAtOnce() {
        return core.mostBytesAtOnce();
    }

    /** Of a region that was opened here. */
    RegionLease lease() {
        return (RegionLease) access.lease();
    }

    /** What stands for it in a message. */
    RegionToken token(@Nullable UUID onlyFor) {
        return access.lease().token(access.start(), access.length(), onlyFor);
    }

    @Override
    public String toString() {
        return access.toString();
    }
}
