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
 * Leased memory of a peer. NICs read and write it without the peer's processors. {@link RemotePeer#allocate} and
 * {@link RemotePeer#open} create it, and calls can return it or have it as an argument. A {@link #slice} is a part of
 * it and ends with it. Any thread.
 *
 * <p>A region of {@link RemoteMemory#lend} represents local memory. It can only be sent; its operations are rejected.
 *
 * <p>Operations that are out of bounds, lack a {@linkplain #rights right} or come after the end of the lease are
 * rejected before they are posted. The owner's NIC rejects them as well. A started operation is carried out even if its
 * future is cancelled. It keeps its local slice until the device has completed it, and {@link #free} waits for it.
 *
 * <p>Futures of reads, writes and atomics complete on a polling thread: a callback must not wait for another operation
 * there. All other futures of remote memory complete on a virtual thread.
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
     * Returns the size.
     *
     * @return bytes
     */
    public long length() {
        return access.length();
    }

    /**
     * Returns the rights of this process.
     *
     * @return the rights that the owner has granted
     */
    public Set<RemoteRight> rights() {
        return access.lease().rights();
    }

    /**
     * Returns how long the lease lasts by the local clock; at the owner it ends slightly later. The value is unknown
     * for a region from a call that was neither used nor {@linkplain #renew renewed}.
     *
     * @return the time, zero after the end of the lease, the longest possible duration if unknown
     */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, access.lease().remainingNanos()));
    }

    /**
     * Returns whether the region accepts operations.
     *
     * @return false after the end of the lease, after {@link #free}, and if the owner revoked it or is unreachable
     */
    public boolean isUsable() {
        return access.lease().isUsable();
    }

    /**
     * Returns a part of the region, which ends with the region.
     *
     * @param offset offset in the region in bytes
     * @param bytes the length of the part in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part is not inside the region
     */
    public RemoteRegion slice(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, length());
        return new RemoteRegion(access.slice(offset, bytes));
    }

    /**
     * Reads into local memory.
     *
     * @param offset offset in the region in bytes
     * @param into the destination, as long as the range to read; must not be accessed until the operation ends
     * @return completes when the bytes are in local memory
     */
    public CompletableFuture<Void> readAsync(long offset, LocalSlice into) {
        return access.read(offset, into);
    }

    /**
     * Reads into local memory, and waits for the end.
     *
     * @param offset offset in the region in bytes
     * @param into the destination, as long as the range to read
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public void read(long offset, LocalSlice into) {
        core.waiter().await(readAsync(offset, into), into.length(), "a read of " + into.length() + " bytes");
    }

    /**
     * Reads into an array through a registered staging buffer, and waits for the end.
     *
     * @param offset offset in the region in bytes
     * @param bytes how many bytes to read
     * @return a new array
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public byte[] read(long offset, int bytes) {
        access.check(RemoteRight.READ, offset, bytes);
        return core.staging().use(bytes, slice -> {
            read(offset, slice);
            return slice.toBytes();
        });
    }

    /**
     * Reads into an array through a registered staging buffer.
     *
     * @param offset offset in the region in bytes
     * @param bytes how many bytes to read
     * @return completes with a new array
     */
    public CompletableFuture<byte[]> readAsync(long offset, int bytes) {
        return access.read(offset, bytes);
    }

    /**
     * Writes an array through a registered staging buffer.
     *
     * @param offset offset in the region in bytes
     * @param bytes the bytes; copied before this method returns
     * @return completes when the owner's NIC has the bytes
     */
    public CompletableFuture<Void> writeAsync(long offset, byte[] bytes) {
        return access.write(offset, bytes);
    }

    /**
     * Writes local memory to the region.
     *
     * @param offset offset in the region in bytes
     * @param from the bytes; may be read but not written until the operation ends
     * @return completes when the owner's NIC has the bytes
     */
    public CompletableFuture<Void> writeAsync(long offset, LocalSlice from) {
        return access.write(offset, from);
    }

    /**
     * Writes local memory to the region, and waits for the end.
     *
     * @param offset offset in the region in bytes
     * @param from the bytes
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public void write(long offset, LocalSlice from) {
        core.waiter().await(writeAsync(offset, from), from.length(), "a write of " + from.length() + " bytes");
    }

    /**
     * Writes an array through a registered staging buffer, and waits for the end.
     *
     * @param offset offset in the region in bytes
     * @param bytes the bytes
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public void write(long offset, byte[] bytes) {
        access.check(RemoteRight.WRITE, offset, bytes.length);
        core.staging().use(bytes.length, slice -> {
            write(offset, slice.put(bytes));
            return bytes;
        });
    }

    /**
     * Writes, and notifies the owner's {@link WriteListener} after the bytes have arrived. Needs
     * {@link RemoteRight#NOTIFY} and {@link RemoteRight#WRITE}.
     *
     * @param offset offset in the region in bytes
     * @param from the bytes, may be empty; at most 256 MiB, or the device's maximum message size if that is less. May
     *     be read but not written until the operation ends
     * @param tag a number for the listener, 0 to 65535
     * @return completes when the owner's NIC has the bytes
     */
    public CompletableFuture<Void> writeWithNotifyAsync(long offset, LocalSlice from, int tag) {
        return access.writeWithNotify(offset, from, tag);
    }

    /**
     * Writes, notifies the owner's {@link WriteListener}, and waits until the owner's NIC has the bytes.
     *
     * @param offset offset in the region in bytes
     * @param from the bytes, may be empty; at most 256 MiB, or the device's maximum message size if that is less
     * @param tag a number for the listener, 0 to 65535
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public void writeWithNotify(long offset, LocalSlice from, int tag) {
        core.waiter()
                .await(
                        writeWithNotifyAsync(offset, from, tag),
                        from.length(),
                        "a write of " + from.length() + " bytes");
    }

    /**
     * Compares 8 bytes, as a number in the owner's byte order, with an expected value and replaces them if they are
     * equal. The operation is atomic with regard to operations of RDMA devices, but not to those of the owner's
     * processors.
     *
     * @param offset offset in the region in bytes, so that the address is a multiple of 8; the start of a region is
     *     aligned
     * @param expected the expected value
     * @param update the new value
     * @return completes with the original value; the swap took place if it equals the expected one
     */
    public CompletableFuture<Long> compareAndSwapAsync(long offset, long expected, long update) {
        return access.compareAndSwap(offset, expected, update);
    }

    /**
     * Compares and swaps 8 bytes, and waits for the end.
     *
     * @param offset offset in the region in bytes
     * @param expected the expected value
     * @param update the new value
     * @return the original value
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public long compareAndSwap(long offset, long expected, long update) {
        return core.waiter().await(compareAndSwapAsync(offset, expected, update), WORD, "a compare-and-swap");
    }

    /**
     * Adds to 8 bytes, as a number in the owner's byte order. The operation is atomic with regard to operations of RDMA
     * devices, but not to those of the owner's processors.
     *
     * @param offset offset in the region in bytes, so that the address is a multiple of 8; the start of a region is
     *     aligned
     * @param addend the number to add
     * @return completes with the original value
     */
    public CompletableFuture<Long> getAndAddAsync(long offset, long addend) {
        return access.getAndAdd(offset, addend);
    }

    /**
     * Adds to 8 bytes, and waits for the end.
     *
     * @param offset offset in the region in bytes
     * @param addend the number to add
     * @return the original value
     * @throws RdmaRemoteMemoryException if it is rejected before it is posted, or the owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if the NIC reports a failure
     */
    public long getAndAdd(long offset, long addend) {
        return core.waiter().await(getAndAddAsync(offset, addend), WORD, "a get-and-add");
    }

    /**
     * Requests a longer lease. The owner decides the lease of a grant; the response then only returns the remaining
     * time.
     *
     * @param lease the duration from now, positive; the owner may shorten it
     * @return completes when {@link #remaining} returns the new time
     */
    public CompletableFuture<Void> renewAsync(Duration lease) {
        return core.threads()
                .offControlThread(
                        access.lease().renew(LeaseDurations.check(lease).toNanos()));
    }

    /**
     * Requests a longer lease, and waits for the response.
     *
     * @param lease the duration from now, positive; the owner may shorten it
     * @throws RdmaRemoteMemoryException if the lease had ended before, or the owner is unreachable
     */
    public void renew(Duration lease) {
        core.waiter().await(renewAsync(lease), "a renewal");
    }

    /**
     * Frees the whole region after all its operations have ended, even if called on a slice.
     *
     * @return completes when the owner has confirmed it
     */
    public CompletableFuture<Void> freeAsync() {
        return core.threads().offControlThread(access.lease().free());
    }

    /**
     * Frees the whole region, even if called on a slice, and waits until the owner has confirmed it. A second call only
     * waits.
     *
     * @throws RdmaRemoteMemoryException if the owner does not respond in time
     */
    public void free() {
        core.waiter().await(freeAsync(), "freeing " + this);
    }

    /** Frees the region as {@link #free} does, but ignores that the owner is unreachable. */
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

    /** Returns the maximum length of a write with notification, in bytes. */
    long maxOperationBytes() {
        return core.maxOperationBytes();
    }

    /** Returns the lease of a region that was allocated or opened by this process. */
    RegionLease lease() {
        return (RegionLease) access.lease();
    }

    /** Returns a token that represents the region in a message. */
    RegionToken token(@Nullable UUID onlyFor) {
        return access.lease().token(access.start(), access.length(), onlyFor);
    }

    @Override
    public String toString() {
        return access.toString();
    }
}
