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
 * Memory of other processes, by the names of targets: allocated there or granted by them, then read and written by the NICs
 * alone. Own memory is granted to them, and its token sent in an argument or a result of a call.
 *
 * <p>Each operation waits for its end; those named {@code ...Async} answer with a future, and {@link ReactiveRemoteMemoryTemplate} with
 * a {@code Mono}. Regions have the same operations as methods. Whatever is refused or lost is a {@link
 * io.rdmarpc.remote.lease.RdmaRemoteMemoryException}, what a NIC reports an {@link io.rdmarpc.async.error.RdmaOperationException}. Any thread.
 */
public final class RemoteMemoryTemplate extends RegionOperations {

    static final Set<RemoteRight> USUAL = Set.of(RemoteRight.READ, RemoteRight.WRITE, RemoteRight.ATOMIC);

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
    public RemoteMemoryTemplate(RemoteMemory memory, MemoryTargets targets, WriteListeners listeners) {
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
     * Lends own memory as an argument or the result of a call: the region goes into the call as it is, and the other side reads
     * and writes what it needs. The same region may go into several calls.
     *
     * @param slice what; its region may be closed when this returns, and is released after the end
     * @param rights what the other side may do, at least one
     * @param lease how long from now, over 0
     * @return stands for the memory, to be closed by the caller when the other side needs it no more: it has no access then;
     *     else that ends with the lease
     */
    public RemoteRegion lend(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return memory.lend(slice, rights, lease, listeners.of(slice.region()));
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
