package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.FailureRate;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What an engine has thrown where nothing may be thrown, and what follows from it. A command, a packet, a timer or a large
 * message that fails is counted and reported, and the loop goes on. Where turns of the loop themselves fail again and again, what
 * the engine knows of its sessions cannot be relied on any more: they end, with the reason, and the engine starts anew.
 *
 * <pre>
 *   WORKING --{@link #MOST} turns failed within a second--> FAILED: sessions end, no packet is sent or received
 *   FAILED --a second later, and a minute after the last restart--> the datagram queue pair is reset --> WORKING
 * </pre>
 *
 * Holder of the loop, but for {@link #caught}, {@link #problem} and {@link #restarts}.
 */
public final class LoopFailures {

    /** Failed turns within {@link #WINDOW} that the engine does not survive. */
    public static final int MOST = 16;

    static final Duration WINDOW = Duration.ofSeconds(1);

    /** For the sessions to end, before the engine starts anew. */
    public static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Between two restarts. */
    static final long RESTART_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final System.Logger LOG = System.getLogger(LoopFailures.class.getName());

    private final EngineCounters counters;
    private final FailureLog log = new FailureLog(LOG);
    private int failedCycles;
    private final FailureRate rate = new FailureRate(MOST, WINDOW);
    private volatile @Nullable String problem;
    private volatile int restarts;
    private boolean restarting;
    private long restartNanos;
    private long lastRestartNanos;

    LoopFailures(EngineCounters counters) {
        this.counters = counters;
    }

    /** One thing failed, and others go on. Any thread. */
    public void caught(String what, Throwable failure) {
        counters.drop(Drop.INTERNAL);
        log.report("the engine failed on " + what, failure);
    }

    /** A turn of the loop failed; true when that was one too many. */
    public boolean cycleFailed(Throwable failure, long nowNanos) {
        failedCycles++;
        counters.drop(Drop.INTERNAL);
        log.report("a turn of the engine failed", failure);
        return rate.add(nowNanos) && problem == null;
    }

    /** Counts the turns that failed, to compare. */
    public int failedCycles() {
        return failedCycles;
    }

    /** The engine does not go on; returns why, for users and callers. */
    public String fail(String reason, long nowNanos) {
        String words = "the engine failed and is started anew: " + reason;
        long due = nowNanos + PAUSE_NANOS;
        long earliest = lastRestartNanos + RESTART_INTERVAL_NANOS;
        restartNanos = restarts > 0 && earliest - due > 0 ? earliest : due;
        restarting = false;
        problem = words;
        LOG.log(
                System.Logger.Level.ERROR,
                "{0}. All its sessions end, and it starts anew in {1} ms",
                words,
                TimeUnit.NANOSECONDS.toMillis(restartNanos - nowNanos));
        return words;
    }

    /** Returns why the engine does not work, null while it does. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** Counts the restarts. */
    public int restarts() {
        return restarts;
    }

    /** Tells whether the engine has failed and its time to start anew has not come. */
    public boolean isWaiting() {
        return problem != null && !restarting;
    }

    /** Tells, once, that the time has come to start anew. */
    public boolean takeRestart(long nowNanos) {
        if (!isWaiting() || nowNanos - restartNanos < 0) {
            return false;
        }
        restarting = true;
        return true;
    }

    /** It works again. */
    public void restarted(long nowNanos) {
        if (problem == null) {
            return;
        }
        problem = null;
        restarting = false;
        rate.clear();
        lastRestartNanos = nowNanos;
        int count = restarts + 1;
        restarts = count;
        LOG.log(System.Logger.Level.INFO, "the engine works again, after {0} restarts in all", count);
    }
}
