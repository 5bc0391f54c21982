package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.BackoffIdleStrategy;
import io.rdmarpc.concurrent.BusySpinIdleStrategy;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.runtime.ffi.CoreYield;
import io.rdmarpc.rpc.runtime.ffi.CpuAffinity;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.RdmaConfigurationException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that turns an engine: polls while there is work and for a while after, then sleeps for growing times up to
 * a limit. While it polls for nothing it soon offers its core to other threads after each turn: where there are fewer cores
 * than busy threads, the callers and workers it is waiting for need that core. {@link IdlePolicy} says otherwise. Commands of
 * other threads wake it at once, and so do packets where the device has completion channels; elsewhere they are found when it
 * wakes. While a caller that waits holds the engine's seat, or a virtual thread turns it for others ({@link VirtualTurns}, where
 * the policy is {@link IdlePolicy#ADAPTIVE} and no processor is given), it stands back. Can be started again after it has stopped.
 * Starting and stopping: one thread at a time.
 */
public final class PollingThread {

    private static final System.Logger LOG = System.getLogger(PollingThread.class.getName());
    private static final Duration SHORTEST_PARK = Duration.ofNanos(10_000);

    /** A caller waits for its answer: even where the thread sleeps at once it looks for a moment. */
    private static final int CALLERS_LEAST_TURNS = 500;

    /** Time without calls that turn the loop themselves after which this thread turns it again. */
    private static final long STAND_BACK_NANOS = 1_000_000;

    /** Between two turns while what it does without work fails: it sleeps by itself. */
    private static final long FAILED_IDLE_NANOS = 1_000_000;

    /** Not bound to a processor. */
    public static final int ANY_CPU = -1;

    private final int cpu;
    private final String name;
    private final IdlePolicy policy;
    private final int idleTurns;
    private final Duration maxPark;
    private volatile boolean running;
    private volatile @Nullable IdleStrategy idle;
    private volatile @Nullable Thread standingBack;
    private volatile boolean calledBack;
    private LoopSeat seat = new LoopSeat();
    private volatile @Nullable Thread thread;
    private volatile @Nullable VirtualTurns virtual;
    private final FailureLog failures = new FailureLog(LOG);
    private final ThreadFactory threads;
    private @Nullable Runnable life;

    /**
     * Describes a thread of {@link IdlePolicy#ADAPTIVE}; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param idleTurns turns without work before it sleeps
     * @param maxPark longest sleep while something is due by time; on a device without completion channels a packet that
     *     arrives meanwhile waits that long at most
     */
    public PollingThread(String name, int idleTurns, Duration maxPark) {
        this(name, IdlePolicy.ADAPTIVE, idleTurns, maxPark);
    }

    /**
     * Describes the thread; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param policy what it does without work
     * @param idleTurns turns without work before it sleeps; counts for {@link IdlePolicy#ADAPTIVE}
     * @param maxPark longest sleep while something is due by time; on a device without completion channels a packet that
     *     arrives meanwhile waits that long at most
     */
    public PollingThread(String name, IdlePolicy policy, int idleTurns, Duration maxPark) {
        this(name, policy, idleTurns, maxPark, ANY_CPU);
    }

    /**
     * Describes a thread that runs on one processor; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param policy what it does without work
     * @param idleTurns turns without work before it sleeps; counts for {@link IdlePolicy#ADAPTIVE}
     * @param maxPark longest sleep while something is due by time
     * @param cpu number of the processor, {@link #ANY_CPU} for any
     * @throws RdmaConfigurationException where threads cannot be bound
     */
    public PollingThread(String name, IdlePolicy policy, int idleTurns, Duration maxPark, int cpu) {
        this(
                name,
                policy,
                idleTurns,
                maxPark,
                cpu,
                Thread.ofPlatform().name(name).daemon().factory());
    }

    /** One whose threads a test makes. */
    PollingThread(String name, IdlePolicy policy, int idleTurns, Duration maxPark, int cpu, ThreadFactory threads) {
        checkCpu(cpu);
        this.threads = threads;
        this.cpu = cpu;
        this.name = name;
        this.policy = policy;
        this.idleTurns = policy == IdlePolicy.ADAPTIVE ? idleTurns : 0;
        this.maxPark = maxPark.compareTo(SHORTEST_PARK) < 0 ? SHORTEST_PARK : maxPark;
    }

    private static void checkCpu(int cpu) {
        if (cpu == ANY_CPU) {
            return;
        }
        String obstacle = cpu < 0 || cpu >= CpuAffinity.MAX_CPUS
                ? "processors count from 0 to " + (CpuAffinity.MAX_CPUS - 1)
                : CpuAffinity.obstacle();
        if (!obstacle.isEmpty()) {
            throw new RdmaConfigurationException(
                    "polling.cpus", cpu, obstacle, "Leave it out, and bind the process from outside if you must");
        }
    }

    void start(IntSupplier dutyCycle, BooleanSupplier hasWork) {
        start(
                dutyCycle,
                new LoopSeat(),
                policy == IdlePolicy.BUSY ? new BusySpinIdleStrategy() : backoff(hasWork),
                null);
    }

    /** Starts it; where there is a channel, packets wake it. */
    void start(EventLoop loop, @Nullable CompletionChannel channel) {
        loop.callersPatience(policy == IdlePolicy.BUSY ? Integer.MAX_VALUE : Math.max(idleTurns, CALLERS_LEAST_TURNS));
        IdleStrategy strategy = strategy(loop, channel);
        start(() -> strategy.spins() ? loop.doWorkOrWait() : loop.doWork(), loop.seat(), strategy, virtualTurns(loop));
    }

    /** A virtual thread cannot be bound to a processor. */
    private @Nullable VirtualTurns virtualTurns(EventLoop loop) {
        if (policy != IdlePolicy.ADAPTIVE || cpu != ANY_CPU || !CoreYield.isAvailable()) {
            return null;
        }
        return new VirtualTurns(
                name + "-virtual",
                loop.seat(),
                () -> turnOnce(loop::doWork),
                this::wakeResident,
                new CoreOffer(NanoClock.SYSTEM, CoreYield::offer),
                NanoClock.SYSTEM);
    }

    private IdleStrategy strategy(EventLoop loop, @Nullable CompletionChannel channel) {
        if (policy == IdlePolicy.BUSY) {
            return new BusySpinIdleStrategy();
        }
        IdleStrategy backoff = backoff(loop::hasCommands);
        if (channel == null) {
            return backoff;
        }
        return new ChannelIdleStrategy(
                channel,
                loop::arm,
                () -> hasWork(loop::hasCommands),
                loop::needsTime,
                idleTurns,
                maxPark,
                new CoreOffer(),
                backoff);
    }

    private IdleStrategy backoff(BooleanSupplier hasWork) {
        return new BackoffIdleStrategy(() -> hasWork(hasWork), 0, idleTurns, SHORTEST_PARK, maxPark);
    }

    /** Asked right before a sleep, for which the thread leaves the loop to whoever wants it. */
    private boolean hasWork(BooleanSupplier commands) {
        // An idle strategy may ask again after a wake-up without work, when another thread holds the loop.
        if (seat.isMine()) {
            seat.leave();
        }
        return !running || commands.getAsBoolean();
    }

    private synchronized void start(
            IntSupplier dutyCycle, LoopSeat loopSeat, IdleStrategy strategy, @Nullable VirtualTurns turns) {
        if (thread != null) {
            throw new IllegalStateException("polling thread " + name + " is running already");
        }
        seat = loopSeat;
        idle = strategy;
        virtual = turns;
        running = true;
        life = () -> live(dutyCycle, strategy);
        startThread(life);
    }

    private void startThread(Runnable task) {
        Thread fresh = threads.newThread(task);
        thread = fresh;
        seat.resident(fresh);
        fresh.start();
    }

    /**
     * Tells whether its thread has ended though it was not stopped, or could not be started.
     *
     * @return true until {@link #revive} or {@link #stop}
     */
    boolean isDead() {
        Thread current = thread;
        return running && current != null && !current.isAlive();
    }

    /** Starts a fresh thread for one that {@linkplain #isDead has died}. */
    synchronized void revive() {
        Runnable task = life;
        if (!isDead() || task == null) {
            return;
        }
        boolean _ = seat.freeIfHolderHasEnded();
        standingBack = null;
        seat.residentStandsBack(false);
        startThread(task);
    }

    private void live(IntSupplier dutyCycle, IdleStrategy strategy) {
        bind();
        while (running) {
            try {
                lookAfter(dutyCycle, strategy);
            } catch (Throwable e) {
                afterFailure(e);
            }
        }
    }

    private void lookAfter(IntSupplier dutyCycle, IdleStrategy strategy) {
        if (!isTurnedVirtually() && seat.tryTake()) {
            endVirtualTurns();
            turn(dutyCycle, strategy);
        } else {
            standBack(strategy);
        }
    }

    /** Whatever has failed on the way to a sleep: the loop is free for others meanwhile, and turned on afterwards. */
    private void afterFailure(Throwable failure) {
        failures.report(name + " failed between two turns of its engine", failure);
        try {
            if (seat.isMine()) {
                seat.leave();
            }
            seat.residentStandsBack(false);
            standingBack = null;
            LockSupport.parkNanos(this, FAILED_IDLE_NANOS);
        } catch (Throwable _) {
            // It lives, and tries again at once.
        }
    }

    private void bind() {
        try {
            bindToProcessor();
        } catch (Throwable e) {
            failures.report(name + " is not bound to processor " + cpu, e);
        }
    }

    private void bindToProcessor() {
        int errno = cpu == ANY_CPU ? 0 : CpuAffinity.bind(cpu);
        if (errno != 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} is not bound to processor {1} (errno {2}): does this process have it?",
                    name,
                    cpu,
                    errno);
        }
    }

    /** Turns the loop until it sleeps, stops, or a caller wants to turn it. */
    private void turn(IntSupplier dutyCycle, IdleStrategy strategy) {
        while (running && seat.isMine()) {
            if (seat.isWanted()) {
                seat.leave();
                standBack(strategy);
                return;
            }
            strategy.idle(turnOnce(dutyCycle));
        }
        if (seat.isMine()) {
            seat.leave();
        }
    }

    private int turnOnce(IntSupplier dutyCycle) {
        try {
            return dutyCycle.getAsInt();
        } catch (Throwable e) {
            // The engine promises not to throw. If it does, the other sessions should not die of it.
            failures.report("the engine threw out of its loop", e);
            return 0;
        }
    }

    /** Leaves the loop to callers until none has turned it for a while, or one says that it is needed. */
    private void standBack(IdleStrategy strategy) {
        calledBack = false;
        standingBack = Thread.currentThread();
        seat.residentStandsBack(true);
        int seen = seat.visits();
        boolean wanted = seat.isHeld() || isTurnedVirtually();
        while (wanted && running && !(calledBack && !seat.isHeld())) {
            LockSupport.parkNanos(this, STAND_BACK_NANOS);
            int now = seat.visits();
            wanted = !seat.freeIfHolderHasEnded() && (seat.isHeld() || now != seen);
            seen = now;
        }
        seat.residentStandsBack(false);
        standingBack = null;
        endVirtualTurns();
        // Others have polled since it last armed anything.
        strategy.idle(1);
    }

    private boolean isTurnedVirtually() {
        VirtualTurns turns = virtual;
        return turns != null && turns.isTurning();
    }

    /** From now on who has a command wakes this thread. */
    private void endVirtualTurns() {
        VirtualTurns turns = virtual;
        if (turns != null) {
            turns.residentTurns();
        }
    }

    /** Called by the thread that has queued a command. Never throws: the command is on its way, and the loop looks by itself, too. */
    void wake() {
        try {
            wakeSomebody();
        } catch (Throwable e) {
            failures.report(name + " could not be woken", e);
            LockSupport.unpark(thread);
        }
    }

    private void wakeSomebody() {
        VirtualTurns turns = virtual;
        if (turns == null || !Thread.currentThread().isVirtual() || !turns.ask()) {
            wakeResident();
        }
    }

    private void wakeResident() {
        Thread standing = standingBack;
        if (standing != null) {
            if (!seat.isHeld()) {
                calledBack = true;
                LockSupport.unpark(standing);
            }
            return;
        }
        IdleStrategy strategy = idle;
        if (strategy != null) {
            strategy.wake();
        }
    }

    /** Stops the thread and waits for it; false when it did not end in time. */
    boolean stop(Duration limit) {
        Thread stopping = endLife();
        if (stopping == null) {
            return true;
        }
        VirtualTurns turns = virtual;
        if (turns != null) {
            virtual = null;
            turns.end();
        }
        LockSupport.unpark(stopping);
        wake();
        if (!Uninterrupted.join(stopping, limit)) {
            return false;
        }
        thread = null;
        seat.resident(null);
        return true;
    }

    /** From now on it is not revived. */
    private synchronized @Nullable Thread endLife() {
        Thread stopping = thread;
        if (stopping != null) {
            running = false;
        }
        return stopping;
    }

    /**
     * Returns the thread's name.
     *
     * @return as in thread dumps
     */
    public String name() {
        return name;
    }

    /**
     * Tells whether there is a live thread.
     *
     * @return false before start, after stop, and should it have died
     */
    public boolean isAlive() {
        Thread current = thread;
        return current != null && current.isAlive();
    }

    /**
     * Tells whether the thread runs.
     *
     * @return true between start and stop
     */
    public boolean isRunning() {
        return running;
    }

    @Override
    public String toString() {
        return "polling thread " + name + " (" + idleTurns + " idle turns, then sleeps to " + maxPark + ")";
    }
}
