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
import io.rdmarpc.rpc.stats.ScalingSnapshot;
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
 * The entry point of the library: engines on a NIC, their polling threads and the control connections. A runtime can be
 * server and client at the same time. Thread-safe, except that {@link #start} and {@link #stop} run one at a time.
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
     * Creates a runtime; it works after {@link #start}.
     *
     * @param nic the NIC, owned by the caller, which closes it after the runtime
     * @param ud its datagram transport, also owned by the caller
     * @param rc its READ transport, also owned by the caller
     * @param pollingThread the engine's polling thread
     * @param memory limits of registered memory
     * @param config windows, timeouts and limits
     * @return the runtime, which the caller closes
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
     * Creates a runtime with several engines; it works after {@link #start}.
     *
     * @param nic the NIC, owned by the caller, which closes it after the runtime
     * @param ud the first engine's datagram transport, also owned by the caller
     * @param rc the first engine's READ transport, also owned by the caller
     * @param pollingThread the first engine's polling thread
     * @param more further engines, whose transports the runtime opens and closes
     * @param memory limits of registered memory
     * @param config windows, timeouts and limits
     * @return the runtime, which the caller closes
     */
    public static RdmaRuntime create(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread pollingThread,
            List<EngineConfig> more,
            MemoryConfig memory,
            RpcConfig config) {
        return create(nic, ud, rc, pollingThread, more, memory, config, EngineScaling.NONE, null);
    }

    /**
     * Creates a runtime that adds engines when they are needed, and with a fallback path to peers; it works after
     * {@link #start}.
     *
     * @param nic the NIC, owned by the caller, which closes it after the runtime
     * @param ud the first engine's datagram transport, also owned by the caller
     * @param rc the first engine's READ transport, also owned by the caller
     * @param pollingThread the first engine's polling thread
     * @param more further engines, whose transports the runtime opens and closes
     * @param memory limits of registered memory, for both NICs together
     * @param config windows, timeouts and limits
     * @param scaling how engines are added, {@link EngineScaling#NONE} for a fixed number
     * @param fallback a second NIC for peers that the first one does not reach, null without one
     * @return the runtime, which the caller closes
     */
    public static RdmaRuntime create(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread pollingThread,
            List<EngineConfig> more,
            MemoryConfig memory,
            RpcConfig config,
            EngineScaling scaling,
            @Nullable FallbackNic fallback) {
        RuntimeParts.First first = new RuntimeParts.First(nic, ud, rc, pollingThread, () -> {});
        return new RdmaRuntime(nic, new RuntimeParts(first, more, memory, config, scaling, fallback));
    }

    /**
     * Opens a NIC with defaults and starts a runtime on it.
     *
     * @param nicConfig the NIC
     * @param config windows, timeouts and limits
     * @return the running runtime; closing it closes the NIC too
     */
    public static RdmaRuntime open(NicConfig nicConfig, RpcConfig config) {
        return open(nicConfig, config, PollingConfig.DEFAULTS);
    }

    /**
     * Opens a NIC and starts a runtime on it.
     *
     * @param nicConfig the NIC
     * @param config windows, timeouts and limits
     * @param polling the polling threads; none if the application runs the engine with {@link #doWork}
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

    /** Starts the polling threads. A second call does nothing. After {@link #stop} the runtime can start again. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("the runtime is closed");
        }
        if (!running) {
            parts.shutdown().checkUndone();
            engines.forEach(Engine::start);
            parts.controlThread().start();
            parts.scaler().start();
            running = true;
        }
    }

    /** Sets how long to wait for each thread; for tests. */
    void threadStopLimit(Duration limit) {
        threadStopLimit = limit;
    }

    /**
     * Runs one duty cycle of each engine. For a runtime without polling threads: the application calls this repeatedly,
     * from any thread. It skips an engine that another thread is running. Threads that wait for a call run the engine
     * themselves. Never blocks.
     *
     * @return the amount of work done, 0 if idle
     */
    public int doWork() {
        int work = 0;
        for (int i = 0; i < engines.size(); i++) {
            work += engines.get(i).loop().invoke();
        }
        return work;
    }

    /**
     * Lets this thread run the engines until it closes the invoker; the polling threads yield them. For an application
     * with its own event loop, with or without polling threads.
     *
     * @param limit how long to wait for other threads that are running an engine
     * @return the invoker, which this thread closes
     * @throws io.rdmarpc.rpc.error.RdmaTimeoutException if an engine was not free within the limit
     * @throws IllegalStateException on a virtual thread, and on a thread that runs an engine already
     */
    public EngineInvoker invoker(Duration limit) {
        return EngineInvoker.open(engines.stream().map(Engine::loop).toList(), EngineInvoker.ALL, limit);
    }

    /**
     * Lets this thread run one engine until it closes the invoker; its polling thread yields it. For applications with
     * several event loops, each of which runs an engine of its own.
     *
     * @param engine number of the engine on the first NIC, from 0. The number of engines must not follow the load, because a
     *     call of this thread could otherwise use another engine
     * @param limit how long to wait for another thread that is running the engine
     * @return the invoker, which this thread closes
     * @throws io.rdmarpc.rpc.error.RdmaTimeoutException if the engine was not free within the limit
     * @throws IndexOutOfBoundsException if there is no such engine
     * @throws IllegalStateException on a virtual thread, and on a thread that runs an engine already
     */
    public EngineInvoker invoker(int engine, Duration limit) {
        return EngineInvoker.open(List.of(parts.engineOfFirstNic(engine).loop()), engine, limit);
    }

    /**
     * Stops the runtime. It rejects new clients, announces the last calls that will run and waits for them, closes the
     * sessions, and stops the threads. Clients retry later calls on other servers. Calls without a response fail at the
     * end. Without grace it announces nothing.
     *
     * <p>A handler that does not return delays its own engine only. The calls of that engine end, and its resources are
     * closed, when the handler has returned. A second call does nothing.
     *
     * <p>On a thread that runs an engine, for example in an inline handler, this method returns at once. It stops the
     * runtime in the background, after the handler has returned. A handler on another thread that calls this method
     * also waits for its own call, for the duration of the grace.
     *
     * @param grace how long to wait for calls in execution
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

    EngineScaler scaler() {
        return parts.scaler();
    }

    /**
     * Returns the number of calls of clients in execution. A call is in execution while its request is fetched, while
     * its method runs, and until the client has fetched a large response.
     *
     * @return the number of calls
     */
    public long executingCalls() {
        return engines.stream()
                .mapToLong(engine -> engine.loop().gauges().executingCalls())
                .sum();
    }

    /**
     * Returns whether the runtime is started.
     *
     * @return true between start and stop
     */
    public boolean isRunning() {
        return running;
    }

    /**
     * Returns whether the runtime is closed.
     *
     * @return true once {@link #close} was called; a closed runtime cannot start again
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Offers a service to clients.
     *
     * @param export the service
     * @throws IllegalStateException if its name or one of its method ids is in use
     */
    public void export(ServiceExport export) {
        parts.methods().add(export);
    }

    /**
     * Listens for clients until {@link #stop}.
     *
     * @param address the address to bind, port 0 for a free port
     * @return the listening server, which may be closed earlier
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if the port is in use
     */
    public RpcServer listen(InetSocketAddress address) {
        return plane.listen(address);
    }

    /**
     * Creates a channel to a server. It connects on first use, and again after the runtime was stopped and started.
     *
     * @param target the target's name, for messages
     * @param address the address of the server
     * @return the channel, which the caller may close
     */
    public RpcChannel channel(String target, InetSocketAddress address) {
        return channel(target, List.of(address));
    }

    /**
     * Creates a channel to a service of several servers. Its session is with one of them; if that server is
     * unreachable, with another one. {@link io.rdmarpc.rpc.config.ReconnectConfig#shuffle} selects the order of
     * attempts.
     *
     * @param target the target's name, for messages
     * @param addresses the addresses of the servers
     * @return the channel, which the caller may close
     */
    public RpcChannel channel(String target, List<InetSocketAddress> addresses) {
        return plane.channel(target, addresses);
    }

    /**
     * Returns the counters of the engines.
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
     * Returns the load of the engines and the causes of delays.
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
     * Returns how often sessions used the fallback path to a peer.
     *
     * @return a snapshot
     */
    public FallbackStatistics fallbacks() {
        return plane.fallbacks();
    }

    /**
     * Returns the numbers of streams and cancelled calls.
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
     * Returns the state of each engine.
     *
     * @return snapshots, the first engine first
     */
    public List<EngineSnapshot> engineSnapshots() {
        return engines.stream().map(engine -> engine.snapshot(nic)).toList();
    }

    /**
     * Returns how many engines are used on the first NIC.
     *
     * @return a snapshot
     */
    public ScalingSnapshot scaling() {
        return parts.scaler().snapshot();
    }

    /**
     * Returns the state of each session, of servers and clients.
     *
     * @return snapshots, in the order in which the sessions were opened
     */
    public List<SessionSnapshot> sessions() {
        return plane.snapshots();
    }

    /**
     * Ends a session. Its calls fail.
     *
     * @param id the number in {@link SessionSnapshot}
     * @param reconnect whether a client reconnects at once if {@link io.rdmarpc.rpc.config.ReconnectConfig#enabled}
     *     is set; otherwise it reconnects with its next call
     * @param reason a description for callers and the peer
     * @return false if there is no such session
     */
    public boolean endSession(long id, boolean reconnect, String reason) {
        return plane.endSession(id, reconnect, reason);
    }

    /**
     * Returns how many connections and sessions of clients were rejected.
     *
     * @return the count of each reason
     */
    public Map<SessionRejectReason, Long> rejections() {
        return plane.rejections();
    }

    /**
     * Returns how many client connections failed in TLS: no certificate, an expired or an untrusted one on either side,
     * or a client without TLS.
     *
     * @return the number since the start
     */
    public long tlsFailures() {
        return plane.tlsFailures();
    }

    /**
     * Returns how many times peers accessed memory that was not lent to them. The NIC rejected each access and ended
     * its connection. Devices that report no asynchronous event for it, such as Soft-RoCE, are not counted.
     *
     * @return the number since the start
     */
    public long accessErrors() {
        return plane.accessErrors();
    }

    /**
     * Returns why the NIC cannot open sessions at the moment.
     *
     * @return a description of the device or port problem, null if it works
     */
    public @Nullable String deviceProblem() {
        return plane.deviceProblem();
    }

    /**
     * Returns the use of registered memory, on both NICs if there are two: chunks for large messages, and packet
     * buffers. Memory lent to peers is not included.
     *
     * @return a snapshot; the call takes time in proportion to the number of blocks
     */
    public MemoryStatistics memory() {
        return parts.memory();
    }

    /**
     * Returns the limit of registered memory.
     *
     * @return bytes
     */
    public long memoryLimitBytes() {
        return parts.budget().limitBytes();
    }

    /**
     * Returns how much memory this runtime has registered, without the receive ring.
     *
     * @return bytes
     */
    public long registeredBytes() {
        return parts.budget().registeredBytes();
    }

    /**
     * Stops without grace and closes everything except the arguments of {@link #create}. A second call does nothing.
     *
     * <p>On a thread that runs an engine, for example in an inline handler, this method returns at once. It closes the
     * runtime in the background, after the handler has returned. Until then, the NIC and the transports stay open, even
     * if their owner closes them earlier. A handler on another thread that calls this method waits until the runtime is
     * closed; closing does not wait for the handler's call.
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
                "{0} closes the runtime on a thread that runs an engine: the runtime closes in the background after the"
                        + " handler has returned",
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
            // This thread is in stop(), and a user's callback on it has called close().
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
