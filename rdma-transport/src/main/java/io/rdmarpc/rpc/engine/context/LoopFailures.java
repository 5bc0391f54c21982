package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.FailureRate;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Failures of an engine in code that must not throw, and their consequences. If a command, a packet, a timer or a large
 * message fails, the failure is counted and reported, and the loop continues. If duty cycles fail repeatedly, the state
 * of the sessions is no longer reliable. The engine then ends its sessions with the reason, and restarts.
 *
 * <pre>
 *   WORKING --{@link #MAX_FAILED_CYCLES} duty cycles failed within a second--> FAILED: sessions end, no packets
 *   FAILED --a second later, and a minute after the last restart--> the datagram queue pair is reset --> WORKING
 * </pre>
 *
 * Owner of the loop only, except {@link #caught}, {@link #problem} and {@link #restarts}.
 */
public final class LoopFailures {

    /** Number of failed duty cycles within {@link #WINDOW} after which the engine fails. */
    public static final int MAX_FAILED_CYCLES = 16;

    static final Duration WINDOW = Duration.ofSeconds(1);

    /** Time for the sessions to end before the engine restarts. */
    public static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Minimum time between two restarts. */
    static final long RESTART_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final System.Logger LOG = System.getLogger(LoopFailures.class.getName());

    private final EngineCounters counters;
    private final FailureLog log = new FailureLog(LOG);
    private int failedCycles;
    private final FailureRate rate = new FailureRate(MAX_FAILED_CYCLES, WINDOW);
    private volatile @Nullable String problem;
    private volatile int restarts;
    private boolean restarting;
    private long restartNanos;
    private long lastRestartNanos;

    LoopFailures(EngineCounters counters) {
        this.counters = counters;
    }

    /** Reports a failure after which the engine continues. Thread-safe. */
    public void caught(String what, Throwable failure) {
        counters.drop(Drop.INTERNAL);
        log.report("the engine caught a failure of " + what, failure);
    }

    /** Records a failed duty cycle; returns true if the engine has to fail. */
    public boolean cycleFailed(Throwable failure, long nowNanos) {
        failedCycles++;
        counters.drop(Drop.INTERNAL);
        log.report("a duty cycle of the engine failed", failure);
        return rate.add(nowNanos) && problem == null;
    }

    /** Returns the number of failed duty cycles, for comparison. */
    public int failedCycles() {
        return failedCycles;
    }

    /** Fails the engine; returns the reason, for users and callers. */
    public String fail(String reason, long nowNanos) {
        String text = "the engine failed and restarts: " + reason;
        long due = nowNanos + PAUSE_NANOS;
        long earliest = lastRestartNanos + RESTART_INTERVAL_NANOS;
        restartNanos = restarts > 0 && earliest - due > 0 ? earliest : due;
        restarting = false;
        problem = text;
        LOG.log(
                System.Logger.Level.ERROR,
                "{0}. All its sessions end, and it restarts in {1} ms",
                text,
                TimeUnit.NANOSECONDS.toMillis(restartNanos - nowNanos));
        return text;
    }

    /** Returns the reason of the engine's failure, or null while it works. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** Returns the number of restarts. */
    public int restarts() {
        return restarts;
    }

    /** Returns whether the engine has failed and waits for the time of its restart. */
    public boolean isWaiting() {
        return problem != null && !restarting;
    }

    /** Returns true once, after the time of the restart. */
    public boolean takeRestart(long nowNanos) {
        if (!isWaiting() || nowNanos - restartNanos < 0) {
            return false;
        }
        restarting = true;
        return true;
    }

    /** Records that the engine works again. */
    public void restarted(long nowNanos) {
        if (problem == null) {
            return;
        }
        restarting = false;
        rate.clear();
        lastRestartNanos = nowNanos;
        int count = restarts + 1;
        restarts = count;
        // Last, so that a thread that sees no problem sees the restart, too.
        problem = null;
        LOG.log(System.Logger.Level.INFO, "the engine works again; restarts so far: {0}", count);
    }
}
