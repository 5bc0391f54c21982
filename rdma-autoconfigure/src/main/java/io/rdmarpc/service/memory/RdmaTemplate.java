package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.RegionGrant;
import io.rdmarpc.remote.RegionToken;
import io.rdmarpc.remote.RemoteBatch;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.RemoteRight;
import io.rdmarpc.remote.RemoteRing;
import io.rdmarpc.remote.RingHandler;
import io.rdmarpc.remote.RingReceiver;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.util.unit.DataSize;

/**
 * Memory of other processes, by the names of targets: allocated there or granted by them, then read and written by the NICs
 * alone. Own memory is granted to them, and its token sent in an argument or a result of a call.
 *
 * <p>Each operation waits for its end; those named {@code ...Async} answer with a future, and {@link ReactiveRdmaTemplate} with
 * a {@code Mono}. Regions have the same operations as methods. Whatever is refused or lost is a {@link
 * io.rdmarpc.remote.RemoteMemoryException}, what a NIC reports an {@link io.rdmarpc.async.RdmaOperationException}. Any thread.
 */
public final class RdmaTemplate {

    private static final Set<RemoteRight> USUAL = Set.of(RemoteRight.READ, RemoteRight.WRITE, RemoteRight.ATOMIC);

    private final RemoteMemory memory;
    private final MemoryTargets targets;
    private final WriteListeners listeners;

    /**
     * Creates the template.
     *
     * @param memory own memory, and the device; closed by whoever opened it
     * @param targets the ways to peers
     * @param listeners told of writes into what is granted here
     */
    public RdmaTemplate(RemoteMemory memory, MemoryTargets targets, WriteListeners listeners) {
        this.memory = memory;
        this.targets = targets;
        this.listeners = listeners;
    }

    /**
     * Returns what it works on, for rings, files and statistics.
     *
     * @return not the caller's to close
     */
    public RemoteMemory memory() {
        return memory;
    }

    // Memory there.

    /**
     * Allocates zeroed memory at a target, to be read, written and counted with.
     *
     * @param target its name
     * @param size how much, over 0
     * @param lease how long, over 0; the owner may give less
     * @return the region, to be freed by the caller; else it ends with its lease
     */
    public RemoteRegion allocate(String target, DataSize size, Duration lease) {
        return allocate(target, size, USUAL, lease);
    }

    /**
     * Allocates zeroed memory at a target.
     *
     * @param target its name
     * @param size how much, over 0
     * @param rights what is to be done with it
     * @param lease how long, over 0; the owner may give less
     * @return the region, to be freed by the caller; else it ends with its lease
     */
    public RemoteRegion allocate(String target, DataSize size, Set<RemoteRight> rights, Duration lease) {
        return targets.of(target).allocate(size.toBytes(), rights, lease);
    }

    /**
     * Allocates zeroed memory at a target.
     *
     * @param target its name
     * @param size how much, over 0
     * @param rights what is to be done with it
     * @param lease how long, over 0; the owner may give less
     * @return completed with the region; when it is cancelled before, the region is given back
     */
    public CompletableFuture<RemoteRegion> allocateAsync(
            String target, DataSize size, Set<RemoteRight> rights, Duration lease) {
        return targets.of(target).allocateAsync(size.toBytes(), rights, lease);
    }

    /**
     * Opens what a peer has granted, such as a client that has sent the token in an argument. There must be a connection to
     * that peer, made by either side: {@link #grant(String, LocalSlice, Set, Duration)} there makes one.
     *
     * @param token from that peer; it opens once
     * @return the region, to be freed by the caller; else it ends with the grant
     */
    public RemoteRegion open(RegionToken token) {
        return memory.open(token);
    }

    /**
     * Opens what a target has granted, connecting to it if need be.
     *
     * @param target its name
     * @param token from that peer; it opens once
     * @return the region, to be freed by the caller; else it ends with the grant
     */
    public RemoteRegion open(String target, RegionToken token) {
        return targets.of(target).open(token);
    }

    /**
     * Opens what a peer has granted.
     *
     * @param token from that peer; it opens once
     * @return completed with the region; when it is cancelled before, the region is given back
     */
    public CompletableFuture<RemoteRegion> openAsync(RegionToken token) {
        return memory.openAsync(token);
    }

    /**
     * Opens what a target has granted, connecting to it if need be.
     *
     * @param target its name
     * @param token from that peer; it opens once
     * @return completed with the region; when it is cancelled before, the region is given back
     */
    public CompletableFuture<RemoteRegion> openAsync(String target, RegionToken token) {
        return targets.of(target).openAsync(token);
    }

    /**
     * Reads into an array.
     *
     * @param region what
     * @param offset from which byte
     * @param bytes how many
     * @return a new array
     */
    public byte[] read(RemoteRegion region, long offset, int bytes) {
        return region.read(offset, bytes);
    }

    /**
     * Reads into own memory, without a copy.
     *
     * @param region what
     * @param offset from which byte
     * @param into where to, as many bytes as are read
     */
    public void read(RemoteRegion region, long offset, LocalSlice into) {
        region.read(offset, into);
    }

    /**
     * Reads into an array.
     *
     * @param region what
     * @param offset from which byte
     * @param bytes how many
     * @return completed with a new array
     */
    public CompletableFuture<byte[]> readAsync(RemoteRegion region, long offset, int bytes) {
        return region.readAsync(offset, bytes);
    }

    /**
     * Reads into own memory, without a copy.
     *
     * @param region what
     * @param offset from which byte
     * @param into where to, as many bytes as are read; not to be touched until the end
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> readAsync(RemoteRegion region, long offset, LocalSlice into) {
        return region.readAsync(offset, into);
    }

    /**
     * Writes an array.
     *
     * @param region where to
     * @param offset to which byte
     * @param bytes what
     */
    public void write(RemoteRegion region, long offset, byte[] bytes) {
        region.write(offset, bytes);
    }

    /**
     * Writes own memory, without a copy.
     *
     * @param region where to
     * @param offset to which byte
     * @param from the bytes
     */
    public void write(RemoteRegion region, long offset, LocalSlice from) {
        region.write(offset, from);
    }

    /**
     * Writes an array.
     *
     * @param region where to
     * @param offset to which byte
     * @param bytes what; copied before this returns
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeAsync(RemoteRegion region, long offset, byte[] bytes) {
        return region.writeAsync(offset, bytes);
    }

    /**
     * Writes own memory, without a copy.
     *
     * @param region where to
     * @param offset to which byte
     * @param from the bytes; may be read but not written until the end
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeAsync(RemoteRegion region, long offset, LocalSlice from) {
        return region.writeAsync(offset, from);
    }

    /**
     * Writes, and has the owner's {@link RdmaListener} called.
     *
     * @param region where to, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset to which byte
     * @param from the bytes, at most 256 MiB, may be empty
     * @param tag what the listener is to know, 0 to 65535
     */
    public void writeWithNotify(RemoteRegion region, long offset, LocalSlice from, int tag) {
        region.writeWithNotify(offset, from, tag);
    }

    /**
     * Writes, and has the owner's {@link RdmaListener} called.
     *
     * @param region where to, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset to which byte
     * @param from the bytes, at most 256 MiB, may be empty; may be read but not written until the end
     * @param tag what the listener is to know, 0 to 65535
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeWithNotifyAsync(RemoteRegion region, long offset, LocalSlice from, int tag) {
        return region.writeWithNotifyAsync(offset, from, tag);
    }

    /**
     * Replaces 8 bytes when they are as expected; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param expected what must be there
     * @param update what replaces it
     * @return the value found: the swap took place when it is the one expected
     */
    public long compareAndSwap(RemoteRegion region, long offset, long expected, long update) {
        return region.compareAndSwap(offset, expected, update);
    }

    /**
     * Replaces 8 bytes when they are as expected; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param expected what must be there
     * @param update what replaces it
     * @return completed with the value found
     */
    public CompletableFuture<Long> compareAndSwapAsync(RemoteRegion region, long offset, long expected, long update) {
        return region.compareAndSwapAsync(offset, expected, update);
    }

    /**
     * Adds to 8 bytes; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param addend what to add
     * @return the value found before
     */
    public long getAndAdd(RemoteRegion region, long offset, long addend) {
        return region.getAndAdd(offset, addend);
    }

    /**
     * Adds to 8 bytes; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param addend what to add
     * @return completed with the value found before
     */
    public CompletableFuture<Long> getAndAddAsync(RemoteRegion region, long offset, long addend) {
        return region.getAndAddAsync(offset, addend);
    }

    /**
     * Reads what lies together there into slices that lie apart here.
     *
     * @param region what
     * @param offset from which byte
     * @param into where to, one after the other
     */
    public void scatter(RemoteRegion region, long offset, List<LocalSlice> into) {
        batch().scatter(region, offset, into).run();
    }

    /**
     * Writes slices that lie apart here to what lies together there.
     *
     * @param region where to
     * @param offset to which byte
     * @param from the slices, one after the other
     */
    public void gather(RemoteRegion region, long offset, List<LocalSlice> from) {
        batch().gather(region, offset, from).run();
    }

    /**
     * Begins a batch of operations that start together and end as one.
     *
     * @return one without operations
     */
    public RemoteBatch batch() {
        return memory.batch();
    }

    /**
     * Gives a region back.
     *
     * @param region what; a slice stands for all of it
     */
    public void free(RemoteRegion region) {
        region.free();
    }

    /**
     * Gives a region back.
     *
     * @param region what; a slice stands for all of it
     * @return completed when the owner has it again
     */
    public CompletableFuture<Void> freeAsync(RemoteRegion region) {
        return region.freeAsync();
    }

    // Memory here.

    /**
     * Allocates zeroed registered memory, for operations and for granting.
     *
     * @param size how much, over 0
     * @return the region, to be closed by the caller
     */
    public LocalRegion allocateLocal(DataSize size) {
        return memory.allocateLocal(size.toBytes());
    }

    /**
     * Registers memory of the caller, for operations and for granting: nothing is copied.
     *
     * @param segment native memory, not to be freed before {@link LocalRegion#released} has completed
     * @return the region, to be closed by the caller
     */
    public LocalRegion register(MemorySegment segment) {
        return memory.register(segment);
    }

    /**
     * Lends own memory to whoever opens the token first. A client that has a connection here can, see {@link #open(String,
     * RegionToken)}.
     *
     * @param slice what; its region may be closed, and is released after the grant has ended
     * @param rights what the peer may do, at least one
     * @param lease how long from now, over 0
     * @return the grant; its token goes to the peer in an argument or a result of a call
     */
    public RegionGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return memory.grant(slice, rights, lease).onWrite(listeners.of(slice.region()));
    }

    /**
     * Lends own memory to a target and nobody else, connecting to it so that it can open the token at once.
     *
     * @param target its name
     * @param slice what; its region may be closed, and is released after the grant has ended
     * @param rights what the peer may do, at least one
     * @param lease how long from now, over 0
     * @return the grant; its token goes to the target in an argument of a call
     */
    public RegionGrant grant(String target, LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return memory.grant(slice, rights, lease, targets.of(target).connect()).onWrite(listeners.of(slice.region()));
    }

    /**
     * Makes the consumer's end of a one-way stream of records.
     *
     * @param size how large the ring is; a record has at most a quarter of that
     * @param handler consumes the records
     * @param lease how long from now, over 0
     * @return this end, to be closed by the caller; its token makes one producer's end
     */
    public RingReceiver ring(DataSize size, RingHandler handler, Duration lease) {
        return memory.ring(size.toBytes(), handler, lease);
    }

    /**
     * Opens the producer's end of a one-way stream of records to a target.
     *
     * @param target its name
     * @param token the consumer's
     * @return this end, to be closed by the caller
     */
    public RemoteRing openRing(String target, RegionToken token) {
        targets.of(target).connect();
        return memory.openRing(token);
    }
}
