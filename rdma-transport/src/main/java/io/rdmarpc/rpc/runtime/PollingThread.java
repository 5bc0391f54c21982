package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.BackoffIdleStrategy;
import io.rdmarpc.concurrent.BusySpinIdleStrategy;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.runtime.ffi.CoreYield;
import io.rdmarpc.rpc.runtime.ffi.CpuAffinity;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The default owner of an event loop. It polls while there is work and for some time afterwards, then sleeps for
 * growing times up to a limit. After a short time without work it yields its core after each duty cycle. On hosts with
 * fewer cores than busy threads, the callers and workers that it waits for need that core. {@link IdlePolicy} selects
 * other behavior. Commands of other threads wake it at once, and so do packets if the device has completion channels.
 * Without them, it finds packets when its sleep ends. It yields the loop while another thread owns it: a waiting
 * caller, or the virtual thread that runs the loop for others. The latter is a {@link VirtualThreadDriver}, used if the
 * policy is {@link IdlePolicy#ADAPTIVE} and no processor is given. The thread can be restarted after it has stopped.
 * Only one thread at a time may start or stop it.
 */
public final class PollingThread {

    private static final System.Logger LOG = System.getLogger(PollingThread.class.getName());
    private static final Duration MIN_PARK = Duration.ofNanos(10_000);

    /**
     * Minimum number of cycles for which a caller that waits for its response polls, even if the policy is to sleep at
     * once.
     */
    private static final int CALLERS_MIN_CYCLES = 500;

    /** Sleep between two cycles while the idle strategy fails. */
    private static final long FAILED_IDLE_NANOS = 1_000_000;

    /** The value that binds the thread to no processor. */
    public static final int ANY_CPU = -1;

    private final int cpu;
    private final String name;
    private final IdlePolicy policy;
    private final int idleCycles;
    private final Duration maxSleep;
    private volatile boolean running;
    /** Created once: the thread must not allocate each time it yields. */
    private final BooleanSupplier keepsRunning = this::isRunning;

    private LoopOwnership ownership = new LoopOwnership();
    private volatile @Nullable Thread thread;
    private volatile @Nullable VirtualThreadDriver driver;
    private final FailureLog failures = new FailureLog(LOG);
    private final ThreadFactory threads;
    private @Nullable Runnable life;
    private @Nullable IdleStrategy idle;

    /**
     * Creates a thread with {@link IdlePolicy#ADAPTIVE}; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param idleSpins duty cycles without work before it sleeps
     * @param maxSleep longest sleep while time-dependent work exists; on a device without completion channels a packet
     *     may wait that long
     */
    public PollingThread(String name, int idleSpins, Duration maxSleep) {
        this(name, IdlePolicy.ADAPTIVE, idleSpins, maxSleep);
    }

    /**
     * Creates the thread; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param policy what it does after a duty cycle without work
     * @param idleSpins duty cycles without work before it sleeps; used by {@link IdlePolicy#ADAPTIVE}
     * @param maxSleep longest sleep while time-dependent work exists; on a device without completion channels a packet
     *     may wait that long
     */
    public PollingThread(String name, IdlePolicy policy, int idleSpins, Duration maxSleep) {
        this(name, policy, idleSpins, maxSleep, ANY_CPU);
    }

    /**
     * Creates a thread that is bound to one processor; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param policy what it does after a duty cycle without work
     * @param idleSpins duty cycles without work before it sleeps; used by {@link IdlePolicy#ADAPTIVE}
     * @param maxSleep longest sleep while time-dependent work exists
     * @param cpu number of the processor, {@link #ANY_CPU} for any
     * @throws RdmaConfigurationException if threads cannot be bound to processors here
     */
    public PollingThread(String name, IdlePolicy policy, int idleSpins, Duration maxSleep, int cpu) {
        this(name, policy, idleSpins, maxSleep, cpu, EngineThread.factory(name, 0));
    }

    /** Creates a thread with a given thread factory. */
    PollingThread(String name, IdlePolicy policy, int idleSpins, Duration maxSleep, int cpu, ThreadFactory threads) {
        checkCpu(cpu);
        this.threads = threads;
        this.cpu = cpu;
        this.name = name;
        this.policy = policy;
        this.idleCycles = policy == IdlePolicy.ADAPTIVE ? idleSpins : 0;
        this.maxSleep = maxSleep.compareTo(MIN_PARK) < 0 ? MIN_PARK : maxSleep;
    }

    private static void checkCpu(int cpu) {
        if (cpu == ANY_CPU) {
            return;
        }
        String obstacle = cpu < 0 || cpu >= CpuAffinity.MAX_CPUS
                ? "processors are numbered from 0 to " + (CpuAffinity.MAX_CPUS - 1)
                : CpuAffinity.obstacle();
        if (!obstacle.isEmpty()) {
            throw new RdmaConfigurationException(
                    "polling.cpus", cpu, obstacle, "Leave it out, or bind the whole process, for example with taskset");
        }
    }

    void start(IntSupplier dutyCycle, BooleanSupplier hasWork, LoopOwnership ofLoop) {
        start(dutyCycle, ofLoop, policy == IdlePolicy.BUSY ? new BusySpinIdleStrategy() : backoff(hasWork), null);
    }

    /** Starts it. Packets wake it if there is a channel. */
    void start(EventLoop loop, @Nullable CompletionChannel channel) {
        loop.callersMaxIdleCycles(
                policy == IdlePolicy.BUSY ? Integer.MAX_VALUE : Math.max(idleCycles, CALLERS_MIN_CYCLES));
        IdleStrategy strategy = strategy(loop, channel);
        start(
                () -> strategy.spins() ? loop.doWorkOrSpin() : loop.doWork(),
                loop.ownership(),
                strategy,
                virtualThreadDriver(loop));
    }

    /** Returns null if a processor is given, because a virtual thread cannot be bound to it. */
    private @Nullable VirtualThreadDriver virtualThreadDriver(EventLoop loop) {
        if (policy != IdlePolicy.ADAPTIVE || cpu != ANY_CPU || !CoreYield.isAvailable()) {
            return null;
        }
        return new VirtualThreadDriver(
                name + "-virtual",
                loop.ownership(),
                () -> runCycle(loop::doWork),
                new YieldBackoff(NanoClock.SYSTEM, CoreYield::offer),
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
                idleCycles,
                maxSleep,
                new YieldBackoff(),
                backoff);
    }

    private IdleStrategy backoff(BooleanSupplier hasWork) {
        return new BackoffIdleStrategy(() -> hasWork(hasWork), 0, idleCycles, MIN_PARK, maxSleep);
    }

    /** Called right before a sleep, for which the thread releases the loop. */
    private boolean hasWork(BooleanSupplier commands) {
        // An idle strategy may call this again after a wake-up without work, when another thread owns the loop.
        if (ownership.isMine()) {
            ownership.release();
        }
        return !running || commands.getAsBoolean();
    }

    private synchronized void start(
            IntSupplier dutyCycle,
            LoopOwnership ofLoop,
            IdleStrategy strategy,
            @Nullable VirtualThreadDriver ofVirtualThreads) {
        if (thread != null) {
            throw new IllegalStateException("polling thread " + name + " is running already");
        }
        ownership = ofLoop;
        driver = ofVirtualThreads;
        if (ofVirtualThreads != null) {
            ofLoop.attach(ofVirtualThreads);
        }
        running = true;
        life = () -> live(dutyCycle, strategy);
        startThread(life, strategy);
    }

    private void startThread(Runnable task, IdleStrategy strategy) {
        Thread fresh = threads.newThread(task);
        thread = fresh;
        idle = strategy;
        ownership.attach(fresh, strategy);
        fresh.start();
    }

    /**
     * Returns whether the thread has died: it has ended without {@link #stop}, or could not be started.
     *
     * @return true until {@link #revive} or {@link #stop}
     */
    boolean isDead() {
        Thread current = thread;
        return running && current != null && !current.isAlive();
    }

    /** Starts another thread if this one {@linkplain #isDead has died}. */
    synchronized void revive() {
        Runnable task = life;
        IdleStrategy strategy = idle;
        if (!isDead() || task == null || strategy == null) {
            return;
        }
        boolean _ = ownership.releaseOfEndedOwner();
        startThread(task, strategy);
    }

    private void live(IntSupplier dutyCycle, IdleStrategy strategy) {
        bind();
        while (running) {
            try {
                runOrYield(dutyCycle, strategy);
            } catch (Throwable e) {
                afterFailure(e);
            }
        }
    }

    private void runOrYield(IntSupplier dutyCycle, IdleStrategy strategy) {
        if (!ownership.isDriving() && ownership.tryAcquire()) {
            ownership.stopDriving();
            run(dutyCycle, strategy);
        } else {
            yieldOwnership(strategy);
        }
    }

    /**
     * Handles a failure of the idle strategy: leaves the loop to other threads, and sleeps before this thread runs it
     * again.
     */
    private void afterFailure(Throwable failure) {
        failures.report(name + " failed between two cycles of its engine", failure);
        try {
            if (ownership.isMine()) {
                ownership.release();
            }
            LockSupport.parkNanos(this, FAILED_IDLE_NANOS);
        } catch (Throwable _) {
            // This thread is still alive and retries at once.
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
                    "{0} is not bound to processor {1} (errno {2}): check the processors of this process with taskset",
                    name,
                    cpu,
                    errno);
        }
    }

    /** Runs the loop until it sleeps, stops, or another thread requests the loop. */
    private void run(IntSupplier dutyCycle, IdleStrategy strategy) {
        while (running && ownership.isMine()) {
            if (ownership.isRequested()) {
                ownership.release();
                yieldOwnership(strategy);
                return;
            }
            strategy.idle(runCycle(dutyCycle));
        }
        if (ownership.isMine()) {
            ownership.release();
        }
    }

    private int runCycle(IntSupplier dutyCycle) {
        try {
            return dutyCycle.getAsInt();
        } catch (Throwable e) {
            // The event loop catches what its parts throw. If an exception escapes, the other sessions should not end
            // with this thread.
            failures.report("the event loop threw; its duty cycle is skipped", e);
            return 0;
        }
    }

    private void yieldOwnership(IdleStrategy strategy) {
        ownership.yieldOwnership(keepsRunning);
        // Other threads have polled since it last armed the completion queues.
        strategy.idle(1);
    }

    /** Stops the thread and waits for it. Returns false if it did not end in time. */
    boolean stop(Duration limit) {
        Thread stopping = endLife();
        if (stopping == null) {
            return true;
        }
        VirtualThreadDriver ending = driver;
        if (ending != null) {
            driver = null;
            ending.end();
        }
        LockSupport.unpark(stopping);
        ownership.wake();
        // A caller may have left the thread asleep.
        ownership.endSleep();
        if (!Uninterrupted.join(stopping, limit)) {
            return false;
        }
        thread = null;
        ownership.detach();
        return true;
    }

    /** Prevents {@link #revive} from now on. */
    private synchronized @Nullable Thread endLife() {
        Thread stopping = thread;
        if (stopping != null) {
            running = false;
        }
        return stopping;
    }

    /**
     * Returns the engine that the current thread always runs: as its polling thread, or with an {@link EngineInvoker} of one
     * engine.
     *
     * @return the number of the engine within its runtime, from 0; -1 for all other threads, also while they wait for a
     *     call and run an engine meanwhile
     */
    public static int currentEngine() {
        return Thread.currentThread() instanceof EngineThread current
                ? current.engine()
                : EngineInvoker.currentEngine();
    }

    /**
     * Returns the thread's name.
     *
     * @return the name in thread dumps
     */
    public String name() {
        return name;
    }

    /**
     * Returns whether the thread is alive.
     *
     * @return false before start, after stop, and if the thread has died
     */
    public boolean isAlive() {
        Thread current = thread;
        return current != null && current.isAlive();
    }

    /**
     * Returns whether the thread is started.
     *
     * @return true between start and stop
     */
    public boolean isRunning() {
        return running;
    }

    @Override
    public String toString() {
        return "polling thread " + name + " (" + idleCycles + " idle cycles, then sleeps up to " + maxSleep + ")";
    }
}
