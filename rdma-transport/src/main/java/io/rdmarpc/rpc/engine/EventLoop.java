package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.engine.DutyCycle.Mode;
import io.rdmarpc.rpc.engine.client.ClientParts;
import io.rdmarpc.rpc.engine.client.ClientRequests;
import io.rdmarpc.rpc.engine.client.ClientResponses;
import io.rdmarpc.rpc.engine.client.DeferredCompletion;
import io.rdmarpc.rpc.engine.context.CommandQueue;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.LoopFailures;
import io.rdmarpc.rpc.engine.context.StoppedLoop;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.DatagramRecovery;
import io.rdmarpc.rpc.engine.packet.PacketPosition;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.server.CancellationWatch;
import io.rdmarpc.rpc.engine.server.ServerParts;
import io.rdmarpc.rpc.engine.server.ServerRequests;
import io.rdmarpc.rpc.engine.server.ServerResponses;
import io.rdmarpc.rpc.engine.stream.Streams;
import io.rdmarpc.rpc.engine.transfer.BatchBoundary;
import io.rdmarpc.rpc.engine.transfer.ClosingSessions;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.rpc.engine.transfer.LoadShedding;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One engine: a UD transport, the READs of its RC connections, and its sessions. The owner of its {@link LoopOwnership}
 * runs it; other threads queue commands. {@link DutyCycle} has the phases of a cycle.
 */
public final class EventLoop {

    private final EngineContext context;
    private final UdTransport ud;
    private final RcTransport rc;
    private final NanoClock clock;
    private final LoopFailures failures;
    private final CommandQueue commands;
    private final LoopOwnership ownership;
    private final Transmitter transmitter;
    private final ReceiveRingLedger receiveRing;
    private final CreditPool creditPool;
    private final BlockedCallers callers;
    private final Sessions sessions;
    private final DatagramRecovery recovery;
    private final LoopGauges gauges;
    private final DeferredCompletion deferred;
    private final StoppedLoop stopped;
    private final DutyCycle cycle;
    private final StoppedLoop.Work endOfSessions = new EndOfSessions();

    /**
     * Creates an engine, which does nothing until {@link #doWork} is called.
     *
     * @param parts transports, memory and methods
     * @param config windows and timeouts
     * @param clock measures its time
     * @param blocking runs steps that may block, such as the registration of memory
     * @param ownership decides which thread runs the loop, and which thread is woken when a command was queued
     */
    public EventLoop(EngineParts parts, RpcConfig config, NanoClock clock, Executor blocking, LoopOwnership ownership) {
        this.context = new EngineContext(config, clock, blocking, ownership);
        this.ud = parts.ud();
        this.rc = parts.rc();
        this.clock = clock;
        this.failures = context.failures();
        this.commands = context.commands();
        this.ownership = ownership;
        this.stopped = context.stopped();
        this.callers = new BlockedCallers(this, context, parts.methods());
        EngineCounters counters = context.counters();
        TimerWheel timers = context.timers();
        CancellationWatch cancellations = new CancellationWatch();
        this.transmitter = new Transmitter(
                ud, parts.slab(), clock, blocking, counters, config.traffic().batching());
        this.receiveRing = new ReceiveRingLedger(ud);
        this.creditPool = new CreditPool(ud.receiveDepth());
        LoadShedding shedding = new LoadShedding(config.load(), counters);
        LargeTransfers transfers = new LargeTransfers(context, rc, parts.arena(), shedding);
        Streams streams = new Streams(context, transmitter, transfers, receiveRing, creditPool);
        ClientRequests clientRequests = new ClientRequests(context, transmitter, creditPool);
        this.deferred = clientRequests.deferred();
        PacketPosition position = new PacketPosition();
        ServerResponses serverResponses = new ServerResponses(context, transmitter, position);
        ServerRequests serverRequests = new ServerRequests(
                new ServerParts(context, serverResponses, shedding, streams, cancellations, receiveRing),
                parts.methods(),
                transfers);
        this.sessions = new Sessions(
                context,
                new ClientParts(parts.slab(), transmitter, creditPool, receiveRing, streams, clientRequests, callers),
                serverResponses,
                clientRequests.termination(),
                transfers,
                new ClosingSessions(timers, transfers, transmitter));
        PacketDispatcher dispatcher = new PacketDispatcher(
                ud,
                receiveRing,
                sessions.clients(),
                sessions.servers(),
                new ClientResponses(context, clientRequests, transfers, receiveRing),
                serverRequests,
                streams,
                new BatchBoundary(commands, transmitter, transfers, clock),
                counters,
                failures,
                position);
        this.gauges = new LoopGauges(counters, sessions, rc, transfers, creditPool, timers, clock);
        this.recovery = new DatagramRecovery(context, ud, transmitter, receiveRing, sessions::failAll);
        this.cycle = new DutyCycle(
                context,
                parts,
                transmitter,
                receiveRing,
                creditPool,
                serverRequests,
                dispatcher,
                cancellations,
                streams,
                sessions,
                recovery,
                gauges,
                deferred);
    }

    /**
     * Runs one duty cycle. Owner of the loop only. Never blocks, never throws.
     *
     * @return amount of work, 0 if idle
     */
    public int doWork() {
        return cycle.run(Mode.POLL, DutyCycle.NO_CALL);
    }

    /**
     * Runs one duty cycle for a thread that, without work, would only run the next cycle. The cycle polls for packets
     * several times. Owner of the loop only. Never blocks, never throws.
     *
     * @return amount of work, 0 if idle
     */
    public int doWorkOrSpin() {
        return cycle.run(Mode.SPIN, DutyCycle.NO_CALL);
    }

    /**
     * Runs one duty cycle, unless another thread owns the loop. For a thread that runs the loop occasionally.
     *
     * @return amount of work, 0 if idle or if another thread owns the loop
     */
    public int invoke() {
        if (ownership.isMine() || !ownership.tryAcquire()) {
            return 0;
        }
        try {
            return doWork();
        } finally {
            ownership.release();
        }
    }

    /**
     * Fails an engine that cannot continue, for example because its thread has died. Its sessions end with the reason,
     * and it restarts. Thread-safe. No effect while another thread owns the loop.
     *
     * @param reason the reason, for exception messages
     */
    public void fail(String reason) {
        if (ownership.isMine() || !ownership.tryAcquire()) {
            return;
        }
        try {
            if (failures.problem() == null && !stopped.isNow()) {
                recovery.fail(failures.fail(reason, clock.nanoTime()));
            }
        } finally {
            ownership.release();
        }
    }

    /**
     * Returns why the engine does not work. Thread-safe.
     *
     * @return the reason, null while it works
     */
    public @Nullable String problem() {
        return failures.problem();
    }

    /**
     * Returns how often the engine has restarted after a failure. Thread-safe.
     *
     * @return number of restarts
     */
    public int restarts() {
        return failures.restarts();
    }

    LoopFailures failures() {
        return failures;
    }

    /**
     * Returns the ownership of the loop: a thread calls {@link #doWork}, {@link #arm} and {@link #needsTime} while it
     * owns it.
     *
     * @return the ownership that the loop was created with
     */
    public LoopOwnership ownership() {
        return ownership;
    }

    DutyCycle cycle() {
        return cycle;
    }

    /**
     * Configures how long waiting callers run the loop without finding work before they leave it to the polling thread.
     *
     * @param cycles number of cycles without work, {@link Integer#MAX_VALUE} to spin until their call has ended
     */
    public void callersMaxIdleCycles(int cycles) {
        callers.maxIdleCycles(cycles);
    }

    /**
     * Returns the sessions of this engine.
     *
     * @return the object by which sessions are added and removed
     */
    public Sessions sessions() {
        return sessions;
    }

    BlockedCallers callers() {
        return callers;
    }

    /**
     * Requests an event on the completion channel for the next completion. Another cycle must run before the thread
     * waits for the event. Owner of the loop only.
     *
     * @return 0 or an error number
     */
    public int arm() {
        int errno = recovery.isDown() ? 0 : ud.arm();
        return errno != 0 ? errno : rc.arm();
    }

    /**
     * Returns whether the passage of time alone may cause work: a retransmission, a deadline. Owner of the loop only.
     *
     * @return false if only packets and commands can cause work
     */
    public boolean needsTime() {
        return cycle.needsTime();
    }

    /**
     * Returns whether a command is waiting.
     *
     * @return true if {@link #doWork} would find one
     */
    public boolean hasCommands() {
        return !commands.isEmpty();
    }

    /**
     * Ends all sessions after the loop has stopped and all connections are closed. From now on the threads that submit
     * commands execute them, so that no call waits for a loop that no thread runs. The NIC is not accessed any more.
     *
     * @param reason the reason, for exception messages
     */
    public void shutDown(String reason) {
        stopped.begin(reason, endOfSessions);
    }

    /** The engine's work when its loop is stopped and resumed. */
    private final class EndOfSessions implements StoppedLoop.Work {

        @Override
        public void onStop() {
            receiveRing.park();
        }

        @Override
        public List<Runnable> before() {
            return List.of(deferred::complete);
        }

        @Override
        public List<Runnable> end(String why, long nowNanos) {
            return List.of(() -> sessions.endAll(why, nowNanos), rc::endAll);
        }

        @Override
        public List<Runnable> after() {
            return List.of(sessions::releaseAll, transmitter::freeSpare);
        }

        @Override
        public void onResume() {
            gauges.onResume();
            recovery.unpark();
        }
    }

    /** Reverts {@link #shutDown} before a thread runs the loop again. */
    public void resume() {
        stopped.end(endOfSessions);
        recovery.onResume();
    }

    /**
     * Returns the engine's gauges and counters.
     *
     * @return the gauges, which any thread may read
     */
    public LoopGauges gauges() {
        return gauges;
    }

    /** Returns the state that its components share, for tests. */
    EngineContext context() {
        return context;
    }

    CreditPool creditPool() {
        return creditPool;
    }

    TimerWheel timers() {
        return context.timers();
    }

    DeferredCompletion deferred() {
        return deferred;
    }
}
