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
 * Memory of other processes, and own memory for them. Allocating, granting, leases and their end are talked over on the
 * sessions of an {@link RdmaRuntime}; the data moves by one-sided operations of a device of its own.
 *
 * <pre>
 *   RemoteMemory --peer(target)--&gt; RemotePeer --allocate, open--&gt; RemoteRegion   memory there, used from here
 *        |------allocateLocal, register--&gt; LocalRegion                           what operations read and fill
 *        '------grant(slice, rights, lease)--&gt; RegionGrant --token--&gt; the peer    memory here, used from there
 * </pre>
 *
 * <p>A peer that dies or says goodbye loses what it has here, and all it lent is lost here. Any thread.
 */
public final class RemoteMemory implements AutoCloseable {

    private final RdmaRuntime runtime;
    private final MemoryCore core;
    private final GrantFactory granting;
    private final RegionsInCalls inCalls;
    private final Set<RemotePeer> peers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private RemoteMemory(RdmaRuntime runtime, MemoryCore core) {
        this.runtime = runtime;
        this.core = core;
        this.granting = new GrantFactory(core);
        this.inCalls = new RegionsInCalls(core);
    }

    /**
     * Opens a device for remote memory, and lends to the clients of a runtime what the limits allow.
     *
     * @param runtime carries the talk; must outlive this, which can be opened once for it
     * @param config which device, and what peers may have
     * @return remote memory, to be closed by the caller before the runtime
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when there is no such device
     * @throws IllegalStateException when the runtime has remote memory
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

    /** A peer opens a link. Polling thread. */
    private void accept(RpcRequest request) {
        if (closed) {
            throw new RdmaRemoteMemoryException(Reason.CLOSED, "Remote memory is closed here.");
        }
        PeerLink link = new PeerLink(core, AddressLookup.hostOf(request.peer()), false, null);
        try {
            core.links().add(link, fresh -> fresh.accept(request.acceptStream(LinkStream.CREDITS, fresh.stream())));
        } catch (RdmaRemoteMemoryException tooMany) {
            core.counters().add(Count.REFUSED_QUOTA);
            throw tooMany;
        }
    }

    /**
     * Returns what peers know this by.
     *
     * @return a random number of this process and moment
     */
    public UUID id() {
        return core.id();
    }

    /**
     * Names a target. It is connected to when first needed.
     *
     * @param target its name, for messages
     * @param address where its runtime listens
     * @return the way there, to be closed by the caller, at the latest by {@link #close}
     */
    public RemotePeer peer(String target, InetSocketAddress address) {
        return peer(target, List.of(address));
    }

    /**
     * Names a target that can be reached at several addresses.
     *
     * @param target its name, for messages
     * @param addresses where its runtimes listen; one of them is used
     * @return the way there, to be closed by the caller, at the latest by {@link #close}
     */
    public RemotePeer peer(String target, List<InetSocketAddress> addresses) {
        if (closed) {
            throw RemoteMemoryFailures.closed();
        }
        return peer(target, runtime.channel(target, addresses));
    }

    /**
     * Names a target that a channel leads to.
     *
     * @param target its name, for messages
     * @param channel the way to the process that has the memory, closed with the peer; where it leads to several processes,
     *     the memory is that of the one it gives first, until that is gone
     * @return the way there, to be closed by the caller, at the latest by {@link #close}
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
     * Allocates zeroed memory for operations, and for granting.
     *
     * @param bytes how many, over 0
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses, for instance over the memlock limit
     */
    public LocalRegion allocateLocal(long bytes) {
        return core.allocateLocal(bytes);
    }

    /**
     * Registers memory of the caller for operations, and for granting: nothing is copied.
     *
     * @param segment native memory, not to be freed before {@link LocalRegion#released} has completed
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses, for instance over the memlock limit
     */
    public LocalRegion register(MemorySegment segment) {
        return segment.isReadOnly()
                ? core.node().register(segment)
                : core.node().register(segment, AccessFlag.LOCAL_WRITE);
    }

    /**
     * Maps a file, to be granted to peers or used for operations. It must not be shortened as long as the region is there.
     *
     * @param file not empty
     * @param writable false for reading only, on every file system; a kernel RDMA device before Linux 6.2 needs a file that
     *     this process may open for writing even then, though nobody writes. True for files on tmpfs and hugetlbfs
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaRemoteMemoryException with reason FILE, when it cannot be mapped, or is to be written and lives on a disk
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses
     */
    public LocalRegion mapFile(Path file, boolean writable) {
        return FileMemory.map(core.node()::register, file, writable);
    }

    /**
     * Begins a batch.
     *
     * @return one without operations
     */
    public RemoteBatch batch() {
        return new RemoteBatch(core);
    }

    /**
     * Lends own memory to whichever peer opens the token first.
     *
     * @param slice what; its region may be closed, and is released after the grant has ended
     * @param rights what the peer may do, at least one
     * @param lease how long from now, over 0
     * @return the grant
     */
    public RegionGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        return grant(slice, rights, lease, null);
    }

    /**
     * Lends own memory to one peer.
     *
     * @param slice what; its region may be closed, and is released after the grant has ended
     * @param rights what the peer may do, at least one
     * @param lease how long from now, over 0
     * @param onlyFor the {@link RemoteMemory#id} of the peer, as {@link RemotePeer#connect} tells it; null for any
     * @return the grant
     */
    public RegionGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable UUID onlyFor) {
        return granting.grant(slice, rights, lease, onlyFor);
    }

    /**
     * Sets who is told when a peer has written, with {@link RemoteRegion#writeWithNotify}, into memory that it has allocated
     * here, or into a grant without a {@linkplain RegionGrant#onWrite listener of its own}.
     *
     * @param listener told from now on
     */
    public void onWrite(WriteListener listener) {
        core.onWrite(listener);
    }

    /**
     * Opens a grant of a peer that a connection exists to, whichever side has made it.
     *
     * @param token from that peer; it opens once
     * @return the region, to be freed by the caller; else it ends with the grant
     * @throws RdmaRemoteMemoryException when there is no connection to the owner, or it refuses
     */
    public RemoteRegion open(RegionToken token) {
        return core.responseTimeout().await(openAsync(token), "the opening of " + token);
    }

    /**
     * Makes the consumer's end of a one-way stream of records.
     *
     * @param bytes how large the ring is, 64 bytes to 256 MiB; a record has at most a quarter of that
     * @param handler consumes the records
     * @param lease how long from now, over 0
     * @return this end, to be closed by the caller; its token makes one producer's end
     */
    public RingReceiver ring(long bytes, RingHandler handler, Duration lease) {
        if (!RecordRingLayout.fits(bytes)) {
            throw new IllegalArgumentException("a ring of " + bytes + " bytes: " + RecordRingLayout.SIZES);
        }
        return RingReceiver.open(
                allocateLocal(bytes),
                memory -> granting.grant(memory.slice(), RecordRingLayout.RIGHTS, lease, null),
                handler);
    }

    /**
     * Opens the producer's end of a one-way stream of records, over a connection that exists to the consumer.
     *
     * @param token the consumer's {@link RingReceiver#token}
     * @return this end, to be closed by the caller
     * @throws RdmaRemoteMemoryException when there is no connection to the consumer, it refuses, or the token is not a ring's
     */
    public RemoteRing openRing(RegionToken token) {
        return RemoteRing.open(open(token), this::allocateLocal);
    }

    /**
     * Opens a grant of a peer that a connection exists to, whichever side has made it.
     *
     * @param token from that peer; it opens once
     * @return completed with the region; when it is cancelled before, the region is given back
     */
    public CompletableFuture<RemoteRegion> openAsync(RegionToken token) {
        return RemotePeer.delivered(
                core, inCalls.linkTo(token.owner()).thenCompose(link -> link.open(TokenCodec.secretOf(token))));
    }

    // Regions in calls.

    /**
     * Lends own memory to the peers that the region is sent to, in arguments and results of calls. Each of them may open it
     * once, until the lease ends or the region is closed.
     *
     * @param slice what; its region may be closed when this was sent, and is released after the end
     * @param rights what a peer may do, at least one
     * @param lease how long from now, over 0
     * @param listener told of writes with notices, null for the one {@linkplain #onWrite of all}
     * @return stands for the memory, to be closed by the caller when no peer needs it any more; else it ends with its lease
     */
    public RemoteRegion lend(
            LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable WriteListener listener) {
        return granting.lend(slice, rights, lease, listener);
    }

    /**
     * Returns how regions become part of messages and come out of them; for what writes and reads calls.
     *
     * @return always the same
     */
    public RegionsInCalls inCalls() {
        return inCalls;
    }

    /**
     * Counts.
     *
     * @return a snapshot
     */
    public RemoteMemoryStatistics statistics() {
        return RemoteMemoryStatistics.of(core);
    }

    /**
     * Describes what is lent at the moment, either way.
     *
     * @param most how many of each list to tell of, over 0
     * @return a snapshot
     * @throws RdmaRemoteMemoryException after {@link #close}
     */
    public RemoteMemorySnapshot snapshot(int most) {
        if (most <= 0) {
            throw new IllegalArgumentException("a snapshot of " + most + " of each list: it is over 0");
        }
        return core.responseTimeout()
                .await(
                        CompletableFuture.supplyAsync(
                                () -> core.snapshot(most), core.threads().controlOrFail()),
                        "a snapshot");
    }

    /**
     * Returns the name of the device that this has opened.
     *
     * @return such as {@code soft0}
     */
    public String deviceName() {
        return core.deviceName();
    }

    /**
     * Ends all connections to peers and with them what is lent either way, without closing this: peers may come again. Before
     * the runtime stops for a while, for instance. What is lent is not waited for.
     */
    public void disconnect() {
        core.threads()
                .onControl(() -> core.endLinks(new RdmaRemoteMemoryException(
                        Reason.LOST, "Remote memory was disconnected on this side. Allocate again.")));
    }

    /**
     * Gives back what this has of others, takes back what others have of this, and closes the device. A second call does
     * nothing.
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
