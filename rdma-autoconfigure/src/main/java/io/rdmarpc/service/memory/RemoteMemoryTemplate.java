package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.RemoteBatch;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.RemoteRing;
import io.rdmarpc.remote.RingHandler;
import io.rdmarpc.remote.RingReceiver;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.util.unit.DataSize;

/**
 * Remote memory for Spring applications, with targets by name. Memory of other processes is allocated there or granted
 * by them, and accessed by NICs only. Local memory is granted to them, and its token is sent in an argument or a result
 * of a call.
 *
 * <p>Operations block until their end; those named {@code ...Async} return a future, and those of {@link
 * ReactiveRemoteMemoryTemplate} a {@code Mono}. Regions have the same operations as methods. A rejected request or a
 * lost region throws {@link io.rdmarpc.remote.lease.RdmaRemoteMemoryException}. A failure that a NIC reports throws
 * {@link io.rdmarpc.async.error.RdmaOperationException}. Thread-safe.
 */
public final class RemoteMemoryTemplate extends RegionOperations {

    static final Set<RemoteRight> USUAL = Set.of(RemoteRight.READ, RemoteRight.WRITE, RemoteRight.ATOMIC);

    private final RemoteMemory memory;
    private final MemoryTargets targets;
    private final WriteListeners listeners;

    /**
     * Creates the template.
     *
     * @param memory the remote memory of this process; the template does not close it
     * @param targets the configured targets
     * @param listeners handle writes to memory that is granted here
     */
    public RemoteMemoryTemplate(RemoteMemory memory, MemoryTargets targets, WriteListeners listeners) {
        this.memory = memory;
        this.targets = targets;
        this.listeners = listeners;
    }

    /**
     * Returns the remote memory, for rings, files and statistics.
     *
     * @return the remote memory, which the caller must not close
     */
    public RemoteMemory memory() {
        return memory;
    }

    // Memory of peers.

    /**
     * Allocates zeroed memory at a target, for reads, writes and atomics.
     *
     * @param target the name of the target
     * @param size the size, at least 1 byte
     * @param lease the duration, positive; the owner may shorten it
     * @return the region, to be freed by the caller; otherwise it ends with its lease
     */
    public RemoteRegion allocate(String target, DataSize size, Duration lease) {
        return allocate(target, size, USUAL, lease);
    }

    /**
     * Allocates zeroed memory at a target.
     *
     * @param target the name of the target
     * @param size the size, at least 1 byte
     * @param rights the rights of this process
     * @param lease the duration, positive; the owner may shorten it
     * @return the region, to be freed by the caller; otherwise it ends with its lease
     */
    public RemoteRegion allocate(String target, DataSize size, Set<RemoteRight> rights, Duration lease) {
        return targets.of(target).allocate(size.toBytes(), rights, lease);
    }

    /**
     * Allocates zeroed memory at a target.
     *
     * @param target the name of the target
     * @param size the size, at least 1 byte
     * @param rights the rights of this process
     * @param lease the duration, positive; the owner may shorten it
     * @return completes with the region; cancelling the future before it completes frees the region
     */
    public CompletableFuture<RemoteRegion> allocateAsync(
            String target, DataSize size, Set<RemoteRight> rights, Duration lease) {
        return targets.of(target).allocateAsync(size.toBytes(), rights, lease);
    }

    /**
     * Opens a grant of a peer, such as a client that has sent the token in an argument. A connection to that peer must
     * exist, established by either side: {@link #grant(String, LocalSlice, Set, Duration)} in the peer establishes one.
     *
     * @param token a token of that peer; it opens once
     * @return the region, to be freed by the caller; otherwise it ends with the grant
     */
    public RemoteRegion open(RegionToken token) {
        return memory.open(token);
    }

    /**
     * Opens a grant of a target, connecting to it if needed.
     *
     * @param target the name of the target
     * @param token a token of that peer; it opens once
     * @return the region, to be freed by the caller; otherwise it ends with the grant
     */
    public RemoteRegion open(String target, RegionToken token) {
        return targets.of(target).open(token);
    }

    /**
     * Opens a grant of a peer over an existing connection.
     *
     * @param token a token of that peer; it opens once
     * @return completes with the region; cancelling the future before it completes frees the region
     */
    public CompletableFuture<RemoteRegion> openAsync(RegionToken token) {
        return memory.openAsync(token);
    }

    /**
     * Opens a grant of a target, connecting to it if needed.
     *
     * @param target the name of the target
     * @param token a token of that peer; it opens once
     * @return completes with the region; cancelling the future before it completes frees the region
     */
    public CompletableFuture<RemoteRegion> openAsync(String target, RegionToken token) {
        return targets.of(target).openAsync(token);
    }

    /**
     * Reads one contiguous range of a region into several local slices.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param into the destinations, in the order of the range
     */
    public void scatter(RemoteRegion region, long offset, List<LocalSlice> into) {
        batch().scatter(region, offset, into).run();
    }

    /**
     * Writes several local slices to one contiguous range of a region.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param from the slices, in the order of the range
     */
    public void gather(RemoteRegion region, long offset, List<LocalSlice> from) {
        batch().gather(region, offset, from).run();
    }

    /**
     * Returns a new batch of operations that start together and complete as one.
     *
     * @return a batch without operations
     */
    public RemoteBatch batch() {
        return memory.batch();
    }

    // Local memory.

    /**
     * Allocates zeroed registered memory, for operations and grants.
     *
     * @param size the size, at least 1 byte
     * @return the region, to be closed by the caller
     */
    public LocalRegion allocateLocal(DataSize size) {
        return memory.allocateLocal(size.toBytes());
    }

    /**
     * Registers memory of the caller for operations and grants, without copying it.
     *
     * @param segment native memory, not to be freed before {@link LocalRegion#released} has completed
     * @return the region, to be closed by the caller
     */
    public LocalRegion register(MemorySegment segment) {
        return memory.register(segment);
    }

    /**
     * Lends local memory to the peer that opens the token first. A client with a connection to this process can do so,
     * see {@link #open(String, RegionToken)}.
     *
     * @param slice the memory; its region may be closed, and is released after the grant has ended
     * @param rights the rights of the peer, at least one
     * @param lease the duration from now, positive
     * @return the grant; its token is sent to the peer in an argument or a result of a call
     */
    public RegionGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return memory.grant(slice, rights, lease).onWrite(listeners.of(slice.region()));
    }

    /**
     * Lends local memory to one target only, and connects to it so that it can open the token at once.
     *
     * @param target the name of the target
     * @param slice the memory; its region may be closed, and is released after the grant has ended
     * @param rights the rights of the peer, at least one
     * @param lease the duration from now, positive
     * @return the grant; its token is sent to the target in an argument of a call
     */
    public RegionGrant grant(String target, LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return memory.grant(slice, rights, lease, targets.of(target).connect()).onWrite(listeners.of(slice.region()));
    }

    /**
     * Lends local memory as an argument or the result of a call. The call contains the region itself, and the other
     * side reads and writes what it needs. The same region may be part of several calls.
     *
     * @param slice the memory; its region may be closed when this method returns, and is released after the access has
     *     ended
     * @param rights the rights of the other side, at least one
     * @param lease the duration from now, positive
     * @return a region for use in calls; closing it ends the access of the other side, otherwise the access ends with
     *     the lease
     */
    public RemoteRegion lend(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return memory.lend(slice, rights, lease, listeners.of(slice.region()));
    }

    /**
     * Creates the consumer of a one-way stream of records.
     *
     * @param size the size of the ring; a record may have up to a quarter of it
     * @param handler processes the records
     * @param lease the duration from now, positive
     * @return the consumer, to be closed by the caller; one producer can open its token
     */
    public RingReceiver ring(DataSize size, RingHandler handler, Duration lease) {
        return memory.ring(size.toBytes(), handler, lease);
    }

    /**
     * Opens the producer of a one-way stream of records to a target.
     *
     * @param target the name of the target
     * @param token the token of the consumer
     * @return the producer, to be closed by the caller
     */
    public RemoteRing openRing(String target, RegionToken token) {
        targets.of(target).connect();
        return memory.openRing(token);
    }
}
