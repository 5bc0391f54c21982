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
 * The parent of connections: an open device with what they share, namely memory, a completion queue and who polls it.
 * Any thread.
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
     * Opens the best device there is.
     *
     * @return the node, to be closed by the caller
     */
    public static RdmaNode open() {
        return open(RdmaNodeConfig.DEFAULTS);
    }

    /**
     * Opens a device.
     *
     * @param config which and how
     * @return the node, to be closed by the caller
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when there is no such provider, device, port or GID
     * @throws RdmaVerbsException when it cannot work here, or has no completion channel and EVENTS was asked for
     */
    public static RdmaNode open(RdmaNodeConfig config) {
        RdmaNodeConfig.Device device = config.device();
        return open(
                VerbsProviders.open(device.provider(), device.name(), device.port(), options(config))
                        .context(),
                config);
    }

    /** A node whose own thread polls moves the software RNIC on with it: one thread less between packet and future. */
    private static Map<String, String> options(RdmaNodeConfig config) {
        Map<String, String> options = new HashMap<>(config.device().options());
        if (config.polling() != PollingMode.MANUAL) {
            options.putIfAbsent("soft.progress", "owner");
        }
        return options;
    }

    /**
     * Takes an open device over, for programs that use it beside the node.
     *
     * @param context the device; closed with the node, or when this fails
     * @param config how, its device left out
     * @return the node, to be closed by the caller
     * @throws RdmaVerbsException when it has no completion channel and EVENTS was asked for
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
     * @param bytes how many, at least 1
     * @param remoteRights what peers may do with it, nothing by default; the own device may always write
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaVerbsException when the device refuses, for instance over the memlock limit
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
     * @param rights what may be done with it besides reading by the own device; give as little as needed
     * @return the region, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaVerbsException when the device refuses, for instance over the memlock limit
     */
    public LocalRegion register(MemorySegment segment, AccessFlag... rights) {
        return region(segment, rights.length == 0 ? Set.of() : EnumSet.copyOf(List.of(rights)), null);
    }

    private LocalRegion region(MemorySegment segment, Set<AccessFlag> rights, @Nullable Arena arena) {
        if (rights.contains(AccessFlag.ZERO_BASED)) {
            throw new IllegalArgumentException("ZERO_BASED regions are not addressed as remote() tells: leave it out");
        }
        return whileOpen(() -> {
            MemoryRegion memory = core.domain().registerMemory(segment, rights);
            LocalRegion region = new LocalRegion(memory, arena, core, regions::remove);
            regions.add(region);
            return region;
        });
    }

    /**
     * Connects to a {@link #listen listener}, as often as wanted: all connections share this node's memory.
     *
     * @param address where it listens
     * @return the connection, to be closed by the caller
     * @throws RdmaExchangeException when the peer does not answer as it should within the connect time-out
     * @throws RdmaCompletionsExhaustedException when the completion queue has no room for one more
     * @throws RdmaVerbsException when a device refuses
     */
    public RdmaConnection connect(InetSocketAddress address) {
        ExchangeSocket peer =
                ExchangeSocket.connect(address, core.config().timeouts().connect());
        boolean connected = false;
        try {
            RdmaConnection connection = meet(peer);
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

    private RdmaConnection meet(ExchangeSocket peer) {
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
     * @param address an own address; port 0 takes any
     * @return the listener, to be closed by the caller, at the latest by {@link #close}
     * @throws RdmaExchangeException when the address cannot be used
     */
    public RdmaListener listen(InetSocketAddress address) {
        return whileOpen(() -> {
            RdmaListener listener = RdmaListener.open(this, address);
            listeners.add(listener);
            return listener;
        });
    }

    /**
     * Makes a connection whose peer is told by the program itself.
     *
     * @return the first half, to be completed or closed by the caller
     * @throws RdmaCompletionsExhaustedException when the completion queue has no room for one more
     * @throws RdmaVerbsException when the device refuses
     */
    public PreparedConnection prepare() {
        return prepare((InetAddress) null);
    }

    /**
     * Makes a connection from an own address, whose peer is told by the program itself.
     *
     * @param ownAddress the address whose network the packets are to take, null for any
     * @return the first half, to be completed or closed by the caller
     * @throws RdmaCompletionsExhaustedException when the completion queue has no room for one more
     * @throws RdmaVerbsException when the device refuses
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
     * Takes completions and completes their futures, until there are none. In mode {@link PollingMode#MANUAL} only.
     *
     * @return how many there were
     * @throws IllegalStateException in another mode
     */
    public int poll() {
        if (core.mode() != PollingMode.MANUAL) {
            throw new IllegalStateException("A thread polls this node: poll() is for PollingMode.MANUAL");
        }
        int total = 0;
        for (int count = core.reap(); count > 0; count = core.reap()) {
            total += count;
        }
        return total;
    }

    /** Makes something of this node; a close waits for it and then ends it too. */
    private <T> T whileOpen(Supplier<T> making) {
        lifecycle.readLock().lock();
        try {
            if (closing) {
                throw new RdmaExchangeException(Reason.CLOSED, "The node on " + deviceName() + " is closed", null);
            }
            return making.get();
        } finally {
            lifecycle.readLock().unlock();
        }
    }

    /** Lets nothing more be made; false when somebody did that before. */
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
     * Returns the device in use.
     *
     * @return its name
     */
    public String deviceName() {
        return core.deviceName();
    }

    /**
     * Tells who takes completions.
     *
     * @return EVENTS, THREAD or MANUAL
     */
    public PollingMode polling() {
        return core.mode();
    }

    /**
     * Ends everything of this node in the right order: listeners, connections with their operations, polling, regions,
     * device. Takes as long as the slowest connection, see {@link RdmaConnection#close}. On a thread of the node it does
     * not wait. A second call only waits.
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
