package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.BuddyArenaConfig;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.EngineStatistics;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.control.ControlParts;
import io.rdmarpc.rpc.control.ControlPlane;
import io.rdmarpc.rpc.engine.EngineParts;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.engine.MethodTable;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.CompletionChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where the parts meet: an engine on a NIC, its polling thread, its control channel. As server and as client; both in
 * one process if wanted. Methods are for any thread; {@link #start} and {@link #stop} one at a time.
 */
public final class RdmaRuntime implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RdmaRuntime.class.getName());
    private static final Duration THREAD_STOP_LIMIT = Duration.ofSeconds(5);
    /** Time for the last answers to arrive, also for one that is lost and asked for again. */
    private static final Duration LAST_ANSWERS = Duration.ofMillis(50);

    private static final int IDLE_TURNS = 5000;
    private static final Duration LONGEST_SLEEP = Duration.ofMillis(1);
    private static final int PACKETS_PER_SLAB = 512;

    private final PollingThread pollingThread;
    private final MethodTable methods = new MethodTable();
    private final MemoryBudget budget;
    private final SlabPool slab;
    private final BuddyArena arena;
    private final ExecutorService blocking;
    private final EventLoop loop;
    private final ControlPlane plane;
    private final ControlThread controlThread;
    private final Runnable closeTransports;
    private final @Nullable CompletionChannel channel;
    private volatile boolean running;
    private boolean closed;

    private RdmaRuntime(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread pollingThread,
            MemoryConfig memory,
            RpcConfig config,
            Runnable closeTransports) {
        this.pollingThread = pollingThread;
        this.closeTransports = closeTransports;
        this.channel = nic.completionChannel();
        this.budget = new MemoryBudget(memory.maxBytes());
        this.slab = new SlabPool(nic.protectionDomain(), budget, nic.pathMtu().bytes(), PACKETS_PER_SLAB);
        this.slab.grow();
        this.arena = new BuddyArena(
                nic.protectionDomain(),
                budget,
                new BuddyArenaConfig(
                                BuddyArenaConfig.DEFAULT.minBlockBytes(),
                                memory.chunkBytes(),
                                BuddyArenaConfig.DEFAULT.maxBlockBytes())
                        .withMaxBlockBytes(config.maxMessageBytes()),
                memory.hugePages() ? PageSource.hugePages(nic.context()) : PageSource.ORDINARY);
        this.blocking = blockingExecutor();
        this.loop = new EventLoop(
                new EngineParts(ud, rc, slab, arena, methods), config, NanoClock.SYSTEM, blocking, pollingThread::wake);
        this.plane = new ControlPlane(List.of(new ControlParts(nic, ud, rc, loop, methods, config, budget, blocking)));
        this.controlThread = new ControlThread(plane);
    }

    /** One thread: verbs that create and modify run one after the other. */
    private static ExecutorService blockingExecutor() {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("rdma-control").daemon().factory());
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
        return new RdmaRuntime(nic, ud, rc, pollingThread, memory, config, () -> {});
    }

    /**
     * Opens a NIC with defaults and starts a runtime on it.
     *
     * @param nicConfig which NIC
     * @param config windows, time-outs and limits
     * @return the running runtime; closing it closes the NIC too
     */
    public static RdmaRuntime open(NicConfig nicConfig, RpcConfig config) {
        NicContext nic = NicContext.open(nicConfig);
        UdTransport ud = null;
        RcTransport rc = null;
        try {
            ud = UdTransport.open(nic, UdConfig.DEFAULTS);
            rc = RcTransport.open(nic, RcConfig.DEFAULTS);
            UdTransport openUd = ud;
            RcTransport openRc = rc;
            RdmaRuntime runtime = new RdmaRuntime(
                    nic,
                    ud,
                    rc,
                    new PollingThread("rdma-poll-" + nic.deviceName(), IDLE_TURNS, LONGEST_SLEEP),
                    MemoryConfig.DEFAULTS,
                    config,
                    () -> {
                        openRc.close();
                        openUd.close();
                        nic.close();
                    });
            runtime.start();
            return runtime;
        } catch (RuntimeException e) {
            if (rc != null) {
                rc.close();
            }
            if (ud != null) {
                ud.close();
            }
            nic.close();
            throw e;
        }
    }

    /** Starts the polling thread. A second call does nothing; after {@link #stop} it works again. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("the runtime is closed");
        }
        if (!running) {
            loop.resume();
            startPolling();
            controlThread.start();
            running = true;
        }
    }

    private void startPolling() {
        if (channel == null) {
            pollingThread.start(loop::doWork, loop::hasCommands);
        } else {
            pollingThread.start(loop, channel);
        }
    }

    /**
     * Stops: takes no new clients, waits for calls that are being answered, says goodbye, stops the thread. Calls that
     * still wait fail. A second call does nothing.
     *
     * @param grace how long to wait for calls that are being answered
     */
    public synchronized void stop(Duration grace) {
        if (!running) {
            return;
        }
        running = false;
        plane.stopAccepting();
        awaitCalls(grace);
        plane.stop();
        if (pollingThread.stop(THREAD_STOP_LIMIT)) {
            loop.shutDown("the runtime was stopped");
        } else {
            LOG.log(System.Logger.Level.ERROR, "{0} did not stop: a handler on it must be stuck", pollingThread);
        }
        controlThread.stop(THREAD_STOP_LIMIT);
    }

    private void awaitCalls(Duration grace) {
        long deadline = System.nanoTime() + grace.toNanos();
        try {
            while (loop.executingCalls() > 0 && deadline - System.nanoTime() > 0) {
                Thread.sleep(1);
            }
            if (!grace.isZero() && loop.statistics().serverSessions() > 0) {
                // The goodbye goes by TCP and must not overtake the last answers.
                Thread.sleep(LAST_ANSWERS.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
     * Offers a service to clients.
     *
     * @param export the service
     * @throws IllegalStateException when its name or one of its method ids is taken
     */
    public void export(ServiceExport export) {
        methods.add(export);
    }

    /**
     * Listens for clients; ends with {@link #stop}.
     *
     * @param address where, port 0 for any
     * @return the listening server, may be closed earlier
     * @throws io.rdmarpc.verbs.RdmaConfigurationException when the port is in use
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
     * that is gone. {@link io.rdmarpc.rpc.ReconnectConfig#shuffle} says in which order they are tried.
     *
     * @param target the target's name, for messages
     * @param addresses where the servers listen
     * @return the channel, may be closed by the caller
     */
    public RpcChannel channel(String target, List<InetSocketAddress> addresses) {
        return plane.channel(target, addresses);
    }

    /**
     * Reads the engine's counters.
     *
     * @return a snapshot
     */
    public EngineStatistics statistics() {
        return loop.statistics();
    }

    /**
     * Returns how much memory is registered for this runtime, the receive ring not counted.
     *
     * @return bytes
     */
    public long registeredBytes() {
        return budget.registeredBytes();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        stop(Duration.ZERO);
        closed = true;
        blocking.shutdown();
        if (!awaitBlocking()) {
            LOG.log(System.Logger.Level.WARNING, "a verb still blocks after {0}", THREAD_STOP_LIMIT);
        }
        plane.close();
        arena.close();
        slab.close();
        closeTransports.run();
    }

    /** Whatever interrupts: closing what verbs still use would be worse than being late. */
    private boolean awaitBlocking() {
        long deadline = System.nanoTime() + THREAD_STOP_LIMIT.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return blocking.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
