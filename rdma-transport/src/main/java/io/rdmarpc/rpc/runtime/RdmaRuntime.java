package io.rdmarpc.rpc.runtime;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.memory.MemoryStatistics;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.control.ControlPlane;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.stats.ActivityStatistics;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.rpc.stats.EngineStatistics;
import io.rdmarpc.rpc.stats.FallbackStatistics;
import io.rdmarpc.rpc.stats.TrafficStatistics;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Where the parts meet: engines on a NIC, their polling threads, the control channel. As server and as client; both in
 * one process if wanted. Methods are for any thread; {@link #start} and {@link #stop} one at a time.
 */
public final class RdmaRuntime implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RdmaRuntime.class.getName());
    private static final Duration THREAD_STOP_LIMIT = Duration.ofSeconds(5);

    private final NicContext nic;
    private final RuntimeParts parts;
    private final List<Engine> engines;
    private final ControlPlane plane;
    private Duration threadStopLimit = THREAD_STOP_LIMIT;
    private volatile boolean running;
    private final AtomicBoolean closesLater = new AtomicBoolean();
    private boolean stopping;
    private boolean closesAfterStop;
    private volatile boolean closed;

    private RdmaRuntime(NicContext nic, RuntimeParts parts) {
        this.nic = nic;
        this.parts = parts;
        this.engines = parts.engines();
        this.plane = parts.plane();
    }

    /**
     * Puts a runtime together; it works after {@link #start}.
     *
     * @param nic the NIC; stays the caller's, to be closed after the runtime
     * @param ud its datagrams; likewise
     * @param rc its READs; likewise
     * @param pollingThread turns the engine
     * @param memory how much may be registered
     * @param config windows, time-outs and limits
     * @return the runtime, to be closed by the caller
     */
    public static RdmaRuntime create(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread pollingThread,
            MemoryConfig memory,
            RpcConfig config) {
        return create(nic, ud, rc, pollingThread, List.of(), memory, config);
    }

    /**
     * Puts a runtime of several engines together; it works after {@link #start}.
     *
     * @param nic the NIC; stays the caller's, to be closed after the runtime
     * @param ud the first engine's datagrams; likewise
     * @param rc its READs; likewise
     * @param pollingThread turns it
     * @param more further engines, whose transports the runtime opens and closes
     * @param memory how much may be registered
     * @param config windows, time-outs and limits
     * @return the runtime, to be closed by the caller
     */
    public static RdmaRuntime create(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread pollingThread,
            List<EngineConfig> more,
            MemoryConfig memory,
            RpcConfig config) {
        return create(nic, ud, rc, pollingThread, more, memory, config, null);
    }

    /**
     * Puts a runtime together that has a second way to peers; it works after {@link #start}.
     *
     * @param nic the NIC; stays the caller's, to be closed after the runtime
     * @param ud the first engine's datagrams; likewise
     * @param rc its READs; likewise
     * @param pollingThread turns it
     * @param more further engines, whose transports the runtime opens and closes
     * @param memory how much may be registered, on both NICs together
     * @param config windows, time-outs and limits
     * @param fallback a second NIC for peers that the first one does not reach, null for none
     * @return the runtime, to be closed by the caller
     */
    public static RdmaRuntime create(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread pollingThread,
            List<EngineConfig> more,
            MemoryConfig memory,
            RpcConfig config,
            @Nullable FallbackNic fallback) {
        RuntimeParts.First first = new RuntimeParts.First(nic, ud, rc, pollingThread, () -> {});
        return new RdmaRuntime(nic, new RuntimeParts(first, more, memory, config, fallback));
    }

    /**
     * Opens a NIC with defaults and starts a runtime on it.
     *
     * @param nicConfig which NIC
     * @param config windows, time-outs and limits
     * @return the running runtime; closing it closes the NIC too
     */
    public static RdmaRuntime open(NicConfig nicConfig, RpcConfig config) {
        return open(nicConfig, config, PollingConfig.DEFAULTS);
    }

    /**
     * Opens a NIC and starts a runtime on it.
     *
     * @param nicConfig which NIC
     * @param config windows, time-outs and limits
     * @param polling how many threads poll, and how; none when the user turns the runtime by {@link #doWork}
     * @return the running runtime; closing it closes the NIC too
     */
    public static RdmaRuntime open(NicConfig nicConfig, RpcConfig config, PollingConfig polling) {
        NicContext nic = NicContext.open(nicConfig);
        RdmaRuntime runtime = new RdmaRuntime(nic, RuntimeParts.open(nic, config, polling));
        try {
            runtime.start();
            return runtime;
        } catch (RuntimeException | Error e) {
            runtime.close();
            throw e;
        }
    }

    /** Starts the polling threads. A second call does nothing; after {@link #stop} it works again. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("the runtime is closed");
        }
        if (!running) {
            parts.shutdown().checkUndone();
            engines.forEach(Engine::start);
            parts.controlThread().start();
            running = true;
        }
    }

    /** How long to wait for each thread; for tests. */
    void threadStopLimit(Duration limit) {
        threadStopLimit = limit;
    }

    /**
     * Runs each engine's duty cycle once. For a runtime without polling threads: its user calls this again and again, from any
     * thread. An engine that another thread runs just now is left out. Never blocks. Threads that wait for a call run the engine
     * themselves.
     *
     * @return how much there was to do, 0 when idle
     */
    public int doWork() {
        int work = 0;
        for (int i = 0; i < engines.size(); i++) {
            work += engines.get(i).loop().invoke();
        }
        return work;
    }

    /**
     * Lets this thread run the engines until it closes the invoker; the polling threads yield them. For an event loop of the
     * user's own, with or without polling threads.
     *
     * @param limit how long to wait for other threads that run an engine just now
     * @return the invoker, to be closed by this thread
     * @throws io.rdmarpc.rpc.error.RdmaTimeoutException if an engine was not free in time
     * @throws IllegalStateException on a virtual thread, and on one that runs an engine already
     */
    public EngineInvoker invoker(Duration limit) {
        return EngineInvoker.open(engines.stream().map(Engine::loop).toList(), limit);
    }

    /**
     * Stops: takes no new clients, announces which calls will still be run, waits for those, says goodbye, stops the threads.
     * Clients make calls elsewhere that came later. Calls that still wait fail. Without grace nothing is announced.
     *
     * <p>A handler that does not return holds up its own engine only: that one's calls end, and what it uses is closed, when
     * the handler has returned. A second call does nothing.
     *
     * <p>Called by an inline handler, or by whatever else runs on a thread that turns an engine, it returns at once and stops in the
     * background: that cannot end before the handler has returned. Called by a handler on another thread it waits for its own
     * call, too, for as long as the grace.
     *
     * @param grace how long to wait for calls that are being answered
     */
    public void stop(Duration grace) {
        if (parts.isOwnThread()) {
            Thread.ofPlatform().name("rdma-stop-later").daemon().start(() -> stopHere(grace));
        } else {
            stopHere(grace);
        }
    }

    private synchronized void stopHere(Duration grace) {
        if (!running) {
            return;
        }
        running = false;
        stopping = true;
        try {
            parts.shutdown().stop(grace, threadStopLimit);
        } finally {
            stopping = false;
        }
        if (closesAfterStop) {
            closeHere();
        }
    }

    List<Engine> engines() {
        return engines;
    }

    /**
     * Counts calls of clients that are being served: whose request is fetched, whose method runs, or whose large answer the
     * client has not fetched yet.
     *
     * @return how many
     */
    public long executingCalls() {
        return engines.stream()
                .mapToLong(engine -> engine.loop().gauges().executingCalls())
                .sum();
    }

    /**
     * Tells whether the runtime works.
     *
     * @return true between start and stop
     */
    public boolean isRunning() {
        return running;
    }

    /**
     * Tells whether the runtime is closed for good.
     *
     * @return true once {@link #close} was called: it cannot start again
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Offers a service to clients.
     *
     * @param export the service
     * @throws IllegalStateException when its name or one of its method ids is taken
     */
    public void export(ServiceExport export) {
        parts.methods().add(export);
    }

    /**
     * Listens for clients; ends with {@link #stop}.
     *
     * @param address where, port 0 for any
     * @return the listening server, may be closed earlier
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when the port is in use
     */
    public RpcServer listen(InetSocketAddress address) {
        return plane.listen(address);
    }

    /**
     * Makes a channel to a server; it connects when it is first used, and again after the runtime was stopped and
     * started.
     *
     * @param target the target's name, for messages
     * @param address where the server listens
     * @return the channel, may be closed by the caller
     */
    public RpcChannel channel(String target, InetSocketAddress address) {
        return channel(target, List.of(address));
    }

    /**
     * Makes a channel to a service that several servers offer: its session is with one of them, and with another one when
     * that is gone. {@link io.rdmarpc.rpc.config.ReconnectConfig#shuffle} says in which order they are tried.
     *
     * @param target the target's name, for messages
     * @param addresses where the servers listen
     * @return the channel, may be closed by the caller
     */
    public RpcChannel channel(String target, List<InetSocketAddress> addresses) {
        return plane.channel(target, addresses);
    }

    /**
     * Reads the counters of the engines.
     *
     * @return a snapshot, summed over all engines
     */
    public EngineStatistics statistics() {
        return engines.stream()
                .map(engine -> engine.loop().gauges().statistics())
                .reduce(EngineStatistics::plus)
                .orElseThrow();
    }

    /**
     * Tells how busy the engines are and what holds them up.
     *
     * @return a snapshot, summed over all engines
     */
    public TrafficStatistics traffic() {
        return engines.stream()
                .map(engine -> engine.loop().gauges().traffic())
                .reduce(TrafficStatistics::plus)
                .orElseThrow();
    }

    /**
     * Tells how often the second way to a peer was taken.
     *
     * @return a snapshot
     */
    public FallbackStatistics fallbacks() {
        return plane.fallbacks();
    }

    /**
     * Counts streams and calls given up.
     *
     * @return a snapshot, summed over all engines
     */
    public ActivityStatistics activity() {
        return engines.stream()
                .map(engine -> engine.loop().gauges().activity())
                .reduce(ActivityStatistics::plus)
                .orElseThrow();
    }

    /**
     * Describes each engine.
     *
     * @return a snapshot, the first engine first
     */
    public List<EngineSnapshot> engineSnapshots() {
        return engines.stream().map(engine -> engine.snapshot(nic)).toList();
    }

    /**
     * Describes each session, as server and as client.
     *
     * @return a snapshot, in the order in which they were opened
     */
    public List<SessionSnapshot> sessions() {
        return plane.snapshots();
    }

    /**
     * Ends a session. Its calls fail.
     *
     * @param id the number that {@link SessionSnapshot} has
     * @param reconnect whether a calling end comes back by itself, where {@link io.rdmarpc.rpc.config.ReconnectConfig#enabled}
     *     is set; else with its next call
     * @param reason why, in words for callers and the peer
     * @return false when there is no such session
     */
    public boolean endSession(long id, boolean reconnect, String reason) {
        return plane.endSession(id, reconnect, reason);
    }

    /**
     * Counts connections and sessions of clients that were refused.
     *
     * @return by reason, all of them
     */
    public Map<SessionRejectReason, Long> rejections() {
        return plane.rejections();
    }

    /**
     * Counts clients that were not taken because TLS failed: no certificate, an expired or an untrusted one on either side, or
     * no TLS at all.
     *
     * @return since the start
     */
    public long tlsFailures() {
        return plane.tlsFailures();
    }

    /**
     * Counts accesses of peers to memory that was not lent to them. The NIC refused each one and ended its connection. Devices that
     * report no asynchronous event for it, such as Soft-RoCE, are not counted.
     *
     * @return since the start
     */
    public long accessErrors() {
        return plane.accessErrors();
    }

    /**
     * Says why the NIC opens no sessions now.
     *
     * @return words about device or port, null when it works
     */
    public @Nullable String deviceProblem() {
        return plane.deviceProblem();
    }

    /**
     * Tells what registered memory holds, on both NICs if there are two: chunks for large messages and packet buffers, not
     * what is lent to peers.
     *
     * @return a snapshot; takes time in proportion to the number of blocks
     */
    public MemoryStatistics memory() {
        return parts.memory();
    }

    /**
     * Returns how much memory may be registered.
     *
     * @return bytes
     */
    public long memoryLimitBytes() {
        return parts.budget().limitBytes();
    }

    /**
     * Returns how much memory is registered for this runtime, the receive ring not counted.
     *
     * @return bytes
     */
    public long registeredBytes() {
        return parts.budget().registeredBytes();
    }

    /**
     * Stops without grace and closes everything, except what was given to {@link #create}. A second call does nothing.
     *
     * <p>Called by an inline handler, or by whatever else runs on a thread that turns an engine, it returns at once and closes in the
     * background, when the handler has returned; until then NIC and transports stay open, also where their owner closes them
     * earlier. Handlers on other threads wait for the end, which does not wait for their calls.
     */
    @Override
    public void close() {
        if (parts.isOwnThread()) {
            closeLater();
        } else {
            closeHere();
        }
    }

    private void closeLater() {
        if (!closesLater.compareAndSet(false, true)) {
            return;
        }
        LOG.log(
                System.Logger.Level.INFO,
                "{0} closes the runtime that it works for: that goes on in the background when it has returned",
                Thread.currentThread().getName());
        engines.forEach(Engine::hold);
        Thread.ofPlatform().name("rdma-close-later").daemon().start(() -> {
            try {
                closeHere();
            } finally {
                engines.forEach(Engine::releaseNic);
            }
        });
    }

    private synchronized void closeHere() {
        if (closed) {
            return;
        }
        if (stopping) {
            // This thread stops it, and has told a user of a call's end on the way.
            closesAfterStop = true;
            return;
        }
        stopHere(Duration.ZERO);
        if (!closed) {
            closed = true;
            parts.shutdown().close();
        }
    }
}
