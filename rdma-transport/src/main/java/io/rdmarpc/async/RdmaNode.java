package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaCompletionsExhaustedException;
import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaExchangeException.Reason;
import io.rdmarpc.async.exchange.ExchangeSocket;
import io.rdmarpc.async.exchange.PeerLivenessMonitor;
import io.rdmarpc.async.poll.NodeThread;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An open device with the resources that its connections share: memory, a completion queue and a poller. Thread-safe.
 *
 * <pre>
 *   RdmaNode -- LocalRegion -- LocalSlice
 *      |------- RdmaListener -- accept() --&gt; RdmaConnection
 *      |------- connect() -----------------&gt; RdmaConnection
 *      '------- prepare() -- complete() ---&gt; RdmaConnection
 * </pre>
 */
public final class RdmaNode implements AutoCloseable {

    private static final int PAGE = 4096;
    private static final byte[] NOTHING = {};

    private final NodeCore core;
    private final Set<RdmaListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<LocalRegion> regions = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final ReentrantReadWriteLock lifecycle = new ReentrantReadWriteLock();
    private boolean closing;

    private RdmaNode(NodeCore core) {
        this.core = core;
    }

    /**
     * Opens the device that provider {@code auto} selects.
     *
     * @return the node, to be closed by the caller
     */
    public static RdmaNode open() {
        return open(RdmaNodeConfig.DEFAULTS);
    }

    /**
     * Opens a device.
     *
     * @param config the device to open, and the settings of the node
     * @return the node, to be closed by the caller
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if the provider, device, port or GID does not exist
     * @throws RdmaVerbsException if the device cannot be used, or lacks the completion channel that EVENTS requires
     */
    public static RdmaNode open(RdmaNodeConfig config) {
        RdmaNodeConfig.Device device = config.device();
        return open(
                VerbsProviders.open(device.provider(), device.name(), device.port(), options(config))
                        .context(),
                config);
    }

    /**
     * The software RNIC makes progress on the node's polling thread, which saves a thread switch between packet and
     * future.
     */
    private static Map<String, String> options(RdmaNodeConfig config) {
        Map<String, String> options = new HashMap<>(config.device().options());
        if (config.polling() != PollingMode.MANUAL) {
            options.putIfAbsent("soft.progress", "owner");
        }
        return options;
    }

    /**
     * Takes ownership of an open device, for programs that also use the device directly.
     *
     * @param context the device; closed with the node, or if this method fails
     * @param config the settings; the device in them is ignored
     * @return the node, to be closed by the caller
     * @throws RdmaVerbsException if the device lacks the completion channel that EVENTS requires
     */
    public static RdmaNode open(RdmaContext context, RdmaNodeConfig config) {
        try {
            NodeCore core = new NodeCore(context, config);
            core.start();
            return new RdmaNode(core);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /**
     * Allocates zeroed memory and registers it.
     *
     * @param bytes the size, at least 1
     * @param remoteRights the access flags of peers, none by default; the local device may always write
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaVerbsException if the device rejects it, for instance because of the memlock limit
     */
    public LocalRegion allocate(long bytes, AccessFlag... remoteRights) {
        Arena arena = Arena.ofShared();
        try {
            EnumSet<AccessFlag> rights = EnumSet.of(AccessFlag.LOCAL_WRITE, remoteRights);
            return region(arena.allocate(bytes, PAGE), rights, arena);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Registers memory of the caller.
     *
     * @param segment native memory, not to be freed before {@link LocalRegion#released} has completed
     * @param rights access flags beyond reading by the local device; use as few as needed
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaVerbsException if the device rejects it, for instance because of the memlock limit
     */
    public LocalRegion register(MemorySegment segment, AccessFlag... rights) {
        return region(segment, rights.length == 0 ? Set.of() : EnumSet.copyOf(List.of(rights)), null);
    }

    private LocalRegion region(MemorySegment segment, Set<AccessFlag> rights, @Nullable Arena arena) {
        if (rights.contains(AccessFlag.ZERO_BASED)) {
            throw new IllegalArgumentException("remote() does not support ZERO_BASED regions. Omit ZERO_BASED");
        }
        return whileOpen(() -> {
            MemoryRegion memory = core.domain().registerMemory(segment, rights);
            LocalRegion region = new LocalRegion(memory, arena, core, regions::remove);
            regions.add(region);
            return region;
        });
    }

    /**
     * Connects to a {@link #listen listener}. All connections share this node's memory.
     *
     * @param address the listener's address
     * @return the connection, to be closed by the caller
     * @throws RdmaExchangeException if the peer does not complete the exchange within the connect timeout
     * @throws RdmaCompletionsExhaustedException if the completion queue has no room for another connection
     * @throws RdmaVerbsException if a device rejects it
     */
    public RdmaConnection connect(InetSocketAddress address) {
        ExchangeSocket peer =
                ExchangeSocket.connect(address, core.config().timeouts().connect());
        boolean connected = false;
        try {
            RdmaConnection connection = handshake(peer);
            connection.connectedTo(address);
            connection.watch(new PeerLivenessMonitor(peer));
            connected = true;
            return connection;
        } finally {
            if (!connected) {
                peer.close();
            }
        }
    }

    private RdmaConnection handshake(ExchangeSocket peer) {
        try (PreparedConnection prepared = prepare(peer.ownAddress())) {
            peer.send(ExchangeSocket.HELLO, prepared.endpoint().encode());
            RdmaConnection connection = prepared.complete(peer.receiveEndpoint(ExchangeSocket.WELCOME));
            try {
                peer.send(ExchangeSocket.READY, NOTHING);
                return connection;
            } catch (RdmaExchangeException e) {
                connection.startClosing();
                throw e;
            }
        }
    }

    /**
     * Listens for peers.
     *
     * @param address a local address; port 0 selects a free port
     * @return the listener, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaExchangeException if the address cannot be used
     */
    public RdmaListener listen(InetSocketAddress address) {
        return whileOpen(() -> {
            RdmaListener listener = RdmaListener.open(this, address);
            listeners.add(listener);
            return listener;
        });
    }

    /**
     * Prepares a connection for a program that exchanges endpoints out of band.
     *
     * @return the local half, to be completed or closed by the caller
     * @throws RdmaCompletionsExhaustedException if the completion queue has no room for another connection
     * @throws RdmaVerbsException if the device rejects it
     */
    public PreparedConnection prepare() {
        return prepare((InetAddress) null);
    }

    /**
     * Prepares a connection from a local address, for a program that exchanges endpoints out of band.
     *
     * @param ownAddress the local address whose network the packets use, null for any
     * @return the local half, to be completed or closed by the caller
     * @throws RdmaCompletionsExhaustedException if the completion queue has no room for another connection
     * @throws RdmaVerbsException if the device rejects it
     */
    public PreparedConnection prepare(@Nullable InetAddress ownAddress) {
        return whileOpen(() -> {
            NodeCore.Prepared half = core.prepare(ownAddress);
            return new PreparedConnection(new RdmaConnection(this, half.link()), half);
        });
    }

    void forget(RdmaListener listener) {
        listeners.remove(listener);
    }

    /**
     * Polls completions and completes their futures until the queue is empty. Only in mode {@link PollingMode#MANUAL}.
     *
     * @return the number of completions
     * @throws IllegalStateException in another mode
     */
    public int poll() {
        if (core.mode() != PollingMode.MANUAL) {
            throw new IllegalStateException("A thread polls this node. Call poll() only with PollingMode.MANUAL");
        }
        int total = 0;
        for (int count = core.reap(); count > 0; count = core.reap()) {
            total += count;
        }
        return total;
    }

    /**
     * Creates a resource of this node. {@link #close} waits for a creation in progress and then closes the resource.
     */
    private <T> T whileOpen(Supplier<T> creation) {
        lifecycle.readLock().lock();
        try {
            if (closing) {
                throw new RdmaExchangeException(Reason.CLOSED, "The node on " + deviceName() + " is closed", null);
            }
            return creation.get();
        } finally {
            lifecycle.readLock().unlock();
        }
    }

    /** Prevents the creation of further resources; returns false if an earlier call did so. */
    private boolean startClosing() {
        lifecycle.writeLock().lock();
        try {
            boolean first = !closing;
            closing = true;
            return first;
        } finally {
            lifecycle.writeLock().unlock();
        }
    }

    NodeCore core() {
        return core;
    }

    /**
     * Returns the device name.
     *
     * @return the name
     */
    public String deviceName() {
        return core.deviceName();
    }

    /**
     * Returns the polling mode.
     *
     * @return EVENTS, THREAD or MANUAL
     */
    public PollingMode polling() {
        return core.mode();
    }

    /**
     * Closes all resources of this node in this order: listeners, connections with their operations, polling, regions,
     * device. Takes as long as the slowest connection, see {@link RdmaConnection#close}. On a thread of the node it
     * does not wait. A second call only waits.
     */
    @Override
    public void close() {
        if (!startClosing()) {
            core.await(closed);
        } else if (NodeThread.isCurrentOf(core)) {
            Thread.ofPlatform().daemon().name("rdma-close-" + deviceName()).start(this::closeNow);
        } else {
            closeNow();
        }
    }

    private void closeNow() {
        RuntimeException failure = null;
        for (Runnable step : closingSteps()) {
            try {
                step.run();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        closed.complete(null);
        if (failure != null) {
            throw failure;
        }
    }

    private List<Runnable> closingSteps() {
        return List.of(
                () -> listeners.forEach(RdmaListener::close),
                () -> core.failAll(new RdmaExchangeException(Reason.CLOSED, this + " was closed on this side", null)),
                core::awaitConnections,
                core::stopPolling,
                () -> regions.forEach(LocalRegion::close),
                () -> regions.forEach(LocalRegion::release),
                core::stopWorkers,
                core::closeScratch,
                core::closePolling,
                core::closeDomain,
                core::closeDevice);
    }

    @Override
    public String toString() {
        return "node on " + core;
    }
}
