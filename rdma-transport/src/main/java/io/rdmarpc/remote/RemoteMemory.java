package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.link.AddressLookup;
import io.rdmarpc.remote.link.LinkOpener;
import io.rdmarpc.remote.link.LinkStream;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.verbs.attributes.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory of other processes that this process uses, and local memory that it lends to them. Allocation, grants and
 * leases use the sessions of an {@link RdmaRuntime}. Data moves by one-sided operations on a separate device.
 *
 * <pre>
 *   RemoteMemory --peer(target)--&gt; RemotePeer --allocate, open--&gt; RemoteRegion   a peer's memory, used here
 *        |------allocateLocal, register--&gt; LocalRegion                           buffers of operations
 *        '------grant(slice, rights, lease)--&gt; RegionGrant --token--&gt; the peer    local memory, used by a peer
 * </pre>
 *
 * <p>When a peer's process ends or it closes its link, all leases in both directions end. Any thread.
 */
public final class RemoteMemory implements AutoCloseable {

    private final RdmaRuntime runtime;
    private final MemoryCore core;
    private final GrantFactory grants;
    private final RegionsInCalls inCalls;
    private final Set<RemotePeer> peers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private RemoteMemory(RdmaRuntime runtime, MemoryCore core) {
        this.runtime = runtime;
        this.core = core;
        this.grants = new GrantFactory(core);
        this.inCalls = new RegionsInCalls(core);
    }

    /**
     * Opens a device for remote memory, and lends memory to the clients of a runtime within the limits.
     *
     * @param runtime carries requests and responses; must outlive this object, which can be opened once per runtime
     * @param config the device and the limits of peers
     * @return remote memory, to be closed by the caller before the runtime
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if the device does not exist
     * @throws IllegalStateException if remote memory is already open for the runtime
     */
    public static RemoteMemory open(RdmaRuntime runtime, RemoteMemoryConfig config) {
        return open(runtime, config, NanoClock.SYSTEM);
    }

    static RemoteMemory open(RdmaRuntime runtime, RemoteMemoryConfig config, NanoClock clock) {
        RemoteMemory memory = new RemoteMemory(runtime, MemoryCore.open(config, clock));
        try {
            runtime.export(new ServiceExport(
                    LinkOpener.CONTRACT,
                    List.of(new ServiceExport.Method(LinkOpener.METHOD.id(), memory::accept, null))));
            return memory;
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    /** Accepts the link that a peer opens. Runs on the polling thread. */
    private void accept(RpcRequest request) {
        if (closed) {
            throw new RdmaRemoteMemoryException(Reason.CLOSED, "Remote memory of the owner is closed.");
        }
        PeerLink link = new PeerLink(core, AddressLookup.hostOf(request.peer()), false, null);
        try {
            core.links().add(link, fresh -> fresh.accept(request.acceptStream(LinkStream.CREDITS, fresh.stream())));
        } catch (RdmaRemoteMemoryException tooMany) {
            core.counters().add(Count.REJECTED_QUOTA);
            throw tooMany;
        }
    }

    /**
     * Returns the identity by which peers know this object.
     *
     * @return a random UUID that is new each time remote memory is opened
     */
    public UUID id() {
        return core.id();
    }

    /**
     * Returns a target. The connection is established at first use.
     *
     * @param target the name of the target, for messages
     * @param address the address of its runtime
     * @return the target, to be closed by the caller, at the latest by {@link #close}
     */
    public RemotePeer peer(String target, InetSocketAddress address) {
        return peer(target, List.of(address));
    }

    /**
     * Returns a target that has several addresses.
     *
     * @param target the name of the target, for messages
     * @param addresses the addresses of its runtimes; one of them is used
     * @return the target, to be closed by the caller, at the latest by {@link #close}
     */
    public RemotePeer peer(String target, List<InetSocketAddress> addresses) {
        if (closed) {
            throw RemoteMemoryFailures.closed();
        }
        return peer(target, runtime.channel(target, addresses));
    }

    /**
     * Returns the target of a channel.
     *
     * @param target the name of the target, for messages
     * @param channel the channel to the owner of the memory, closed with the target. If it has several instances, the
     *     memory belongs to the one that it selects first, until that instance is unreachable
     * @return the target, to be closed by the caller, at the latest by {@link #close}
     */
    public RemotePeer peer(String target, RpcChannel channel) {
        RemotePeer peer = new RemotePeer(core, channel, target, peers::remove);
        peers.add(peer);
        if (closed) {
            peer.close();
        }
        return peer;
    }

    /**
     * Allocates zeroed memory for operations and grants.
     *
     * @param bytes the size, at least 1
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects it, for instance because of the memlock
     *     limit
     */
    public LocalRegion allocateLocal(long bytes) {
        return core.allocateLocal(bytes);
    }

    /**
     * Registers memory of the caller for operations and grants, without copying it.
     *
     * @param segment native memory, not to be freed before {@link LocalRegion#released} has completed
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects it, for instance because of the memlock
     *     limit
     */
    public LocalRegion register(MemorySegment segment) {
        return segment.isReadOnly()
                ? core.node().register(segment)
                : core.node().register(segment, AccessFlag.LOCAL_WRITE);
    }

    /**
     * Maps a file for operations and grants. The file must not be truncated while the region exists.
     *
     * @param file a file that is not empty
     * @param writable false for reading only, on every file system; true for files on tmpfs and hugetlbfs. Before Linux
     *     6.2 a kernel RDMA device needs a file that this process may open for writing in both cases
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaRemoteMemoryException with reason FILE if the file cannot be mapped, or is to be written and is on a
     *     disk
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects it
     */
    public LocalRegion mapFile(Path file, boolean writable) {
        return FileMemory.map(core.node()::register, file, writable);
    }

    /**
     * Returns a new batch.
     *
     * @return a batch without operations
     */
    public RemoteBatch batch() {
        return new RemoteBatch(core);
    }

    /**
     * Lends local memory to the peer that opens the token first.
     *
     * @param slice the memory; its region may be closed, and is released after the grant has ended
     * @param rights the rights of the peer, at least one
     * @param lease the duration from now, positive
     * @return the grant
     */
    public RegionGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return grant(slice, rights, lease, null);
    }

    /**
     * Lends local memory to one peer.
     *
     * @param slice the memory; its region may be closed, and is released after the grant has ended
     * @param rights the rights of the peer, at least one
     * @param lease the duration from now, positive
     * @param onlyFor the {@link RemoteMemory#id} of the peer, as {@link RemotePeer#connect} returns it; null for any
     *     peer
     * @return the grant
     */
    public RegionGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable UUID onlyFor) {
        return grants.grant(slice, rights, lease, onlyFor);
    }

    /**
     * Sets the listener for writes with {@link RemoteRegion#writeWithNotify} to memory that peers have allocated here,
     * and to grants without {@linkplain RegionGrant#onWrite their own listener}.
     *
     * @param listener replaces the previous listener
     */
    public void onWrite(WriteListener listener) {
        core.onWrite(listener);
    }

    /**
     * Opens a grant of a peer over an existing connection, which either side has established.
     *
     * @param token a token of that peer; it opens once
     * @return the region, to be freed by the caller; otherwise it ends with the grant
     * @throws RdmaRemoteMemoryException if no connection to the owner exists, or the owner rejects it
     */
    public RemoteRegion open(RegionToken token) {
        return core.waiter().await(openAsync(token), "opening " + token);
    }

    /**
     * Creates the consumer of a one-way stream of records.
     *
     * @param bytes the size of the ring, 64 bytes to 256 MiB; a record may have up to a quarter of it
     * @param handler processes the records
     * @param lease the duration from now, positive
     * @return the consumer, to be closed by the caller; one producer can open its token
     */
    public RingReceiver ring(long bytes, RingHandler handler, Duration lease) {
        if (!RecordRingLayout.fits(bytes)) {
            throw new IllegalArgumentException(
                    "A ring of " + bytes + " bytes is not possible: " + RecordRingLayout.SIZES);
        }
        return RingReceiver.open(
                allocateLocal(bytes),
                memory -> grants.grant(memory.slice(), RecordRingLayout.RIGHTS, lease, null),
                handler);
    }

    /**
     * Opens the producer of a one-way stream of records, over an existing connection to the consumer.
     *
     * @param token the consumer's {@link RingReceiver#token}
     * @return the producer, to be closed by the caller
     * @throws RdmaRemoteMemoryException if no connection to the consumer exists, it rejects it, or the token is not a
     *     ring's
     */
    public RemoteRing openRing(RegionToken token) {
        return RemoteRing.open(open(token), this::allocateLocal);
    }

    /**
     * Opens a grant of a peer over an existing connection, which either side has established.
     *
     * @param token a token of that peer; it opens once
     * @return completes with the region; if it is cancelled earlier, the region is freed
     */
    public CompletableFuture<RemoteRegion> openAsync(RegionToken token) {
        return RemotePeer.delivered(
                core, inCalls.linkTo(token.owner()).thenCompose(link -> link.open(TokenCodec.secretOf(token))));
    }

    // Regions in calls.

    /**
     * Lends local memory to the peers to which the region is sent in arguments and results of calls. Each of them may
     * open it once, until the lease ends or the region is closed.
     *
     * @param slice the memory; its region may be closed after a message was sent, and is released after the lease has
     *     ended
     * @param rights the rights of a peer, at least one
     * @param lease the duration from now, positive
     * @param listener receives writes with notification, null for the {@linkplain #onWrite default listener}
     * @return a region for use in messages, to be closed by the caller after its last use; otherwise it ends with its
     *     lease
     */
    public RemoteRegion lend(
            LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable WriteListener listener) {
        return grants.lend(slice, rights, lease, listener);
    }

    /**
     * Returns the conversion between regions and tokens in messages, for serializers.
     *
     * @return the same object at each call
     */
    public RegionsInCalls inCalls() {
        return inCalls;
    }

    /**
     * Returns counters.
     *
     * @return a snapshot
     */
    public RemoteMemoryStatistics statistics() {
        return RemoteMemoryStatistics.of(core);
    }

    /**
     * Describes leases and grants at this moment, in both directions.
     *
     * @param limit maximum length of each list, at least 1
     * @return a snapshot
     * @throws RdmaRemoteMemoryException after {@link #close}
     */
    public RemoteMemorySnapshot snapshot(int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException(
                    "A snapshot of " + limit + " entries per list is not possible: use at least 1");
        }
        return core.waiter()
                .await(
                        CompletableFuture.supplyAsync(
                                () -> core.snapshot(limit), core.threads().controlOrFail()),
                        "a snapshot");
    }

    /**
     * Returns the name of the device.
     *
     * @return such as {@code soft0}
     */
    public String deviceName() {
        return core.deviceName();
    }

    /**
     * Ends all connections to peers and all leases in both directions without closing this object; peers may connect
     * again. Use it, for instance, before the runtime is suspended. It does not wait for the end of the leases.
     */
    public void disconnect() {
        core.threads()
                .onControl(() -> core.endLinks(new RdmaRemoteMemoryException(
                        Reason.LOST, "Remote memory was disconnected on this side. Allocate again.")));
    }

    /**
     * Ends all leases in both directions and closes the device. A second call has no effect.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        peers.forEach(RemotePeer::close);
        core.close();
    }

    @Override
    public String toString() {
        return "remote memory " + id();
    }
}
