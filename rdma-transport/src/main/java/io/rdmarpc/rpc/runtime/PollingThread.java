package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.BackoffIdleStrategy;
import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.verbs.CompletionChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that turns an engine: polls while there is work and for a while after, then sleeps for growing times up to
 * a limit. While it polls for nothing it offers its core to other threads after each turn: where there are fewer cores
 * than busy threads, the callers and workers it is waiting for need that core. Commands of other threads wake it at once, and so do packets where the device has completion channels; elsewhere they are found when it wakes. Can be
 * started again after it has stopped. Starting and stopping: one thread at a time.
 */
public final class PollingThread {

    private static final System.Logger LOG = System.getLogger(PollingThread.class.getName());
    private static final Duration SHORTEST_PARK = Duration.ofNanos(10_000);

    private final String name;
    private final int idleTurns;
    private final Duration maxPark;
    private volatile boolean running;
    private volatile @Nullable IdleStrategy idle;
    private @Nullable Thread thread;

    /**
     * Describes the thread; it does not run yet.
     *
     * @param name its name, for thread dumps
     * @param idleTurns turns without work before it sleeps
     * @param maxPark longest sleep while something is due by time; on a device without completion channels a packet that
     *     arrives meanwhile waits that long at most
     */
    public PollingThread(String name, int idleTurns, Duration maxPark) {
        this.name = name;
        this.idleTurns = idleTurns;
        this.maxPark = maxPark.compareTo(SHORTEST_PARK) < 0 ? SHORTEST_PARK : maxPark;
    }

    void start(IntSupplier dutyCycle, BooleanSupplier hasWork) {
        start(dutyCycle, backoff(hasWork));
    }

    /** Starts it where packets can wake it. */
    void start(EventLoop loop, CompletionChannel channel) {
        BooleanSupplier hasWork = () -> !running || loop.hasCommands();
        start(
                loop::doWork,
                new ChannelIdleStrategy(
                        channel, loop::arm, hasWork, loop::needsTime, idleTurns, maxPark, backoff(loop::hasCommands)));
    }

    private IdleStrategy backoff(BooleanSupplier hasWork) {
        return new BackoffIdleStrategy(() -> !running || hasWork.getAsBoolean(), 0, idleTurns, SHORTEST_PARK, maxPark);
    }

    private void start(IntSupplier dutyCycle, IdleStrategy strategy) {
        if (thread != null) {
            throw new IllegalStateException("polling thread " + name + " is running already");
        }
        idle = strategy;
        running = true;
        Thread fresh = Thread.ofPlatform().name(name).daemon().unstarted(() -> turn(dutyCycle, strategy));
        thread = fresh;
        fresh.start();
    }

    private void turn(IntSupplier dutyCycle, IdleStrategy strategy) {
        while (running) {
            int work = 0;
            try {
                work = dutyCycle.getAsInt();
            } catch (Throwable e) {
                // The engine promises not to throw. If it does, the other sessions should not die of it.
                LOG.log(System.Logger.Level.ERROR, "the engine threw out of its loop", e);
            }
            strategy.idle(work);
        }
    }

    void wake() {
        IdleStrategy strategy = idle;
        if (strategy != null) {
            strategy.wake();
        }
    }

    /** Stops the thread and waits for it; false when it did not end in time. */
    boolean stop(Duration limit) {
        Thread stopping = thread;
        if (stopping == null) {
            return true;
        }
        running = false;
        wake();
        if (!awaitEnd(stopping, limit)) {
            return false;
        }
        thread = null;
        return true;
    }

    /** Whatever interrupts: its memory must not go while it turns. */
    static boolean awaitEnd(Thread stopping, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        while (stopping.isAlive() && deadline - System.nanoTime() > 0) {
            try {
                stopping.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !stopping.isAlive();
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
