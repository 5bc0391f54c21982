package io.rdmarpc.rpc.runtime;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Decides how many engines are active.
 *
 * <pre>
 *   saturated, and processors are idle -> one more, on trial -> its share of the load stays small -> one less, and a pause
 *   the others could do the work for 10 s with half of their time -> one less
 * </pre>
 *
 * One thread only.
 */
final class ScalingPolicy {

    /** Interval of measurements while an engine has work. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    /** Utilization of saturated engines, on average. An engine has no work in some cycles even at its limit. */
    static final double SATURATED = 0.9;

    /** Another engine needs a processor of its own. */
    static final double MIN_IDLE_PROCESSORS = 1;

    /** Maximum utilization of the remaining engines after one becomes inactive. */
    static final double RELAXED = 0.5;

    /** How long the load must be low before an engine becomes inactive. */
    static final Duration RELAXED_FOR = Duration.ofSeconds(10);

    /** Minimum time between two changes, because sessions need time to move. */
    static final Duration SETTLING = Duration.ofMillis(500);

    /** When the use of a new engine is judged. */
    static final Duration TRIAL = Duration.ofSeconds(3);

    /** A new engine with a lower utilization is of no use: the load is in a session that cannot be divided. */
    static final double MIN_UTILIZATION = 0.1;

    static final Duration FIRST_PAUSE = Duration.ofSeconds(30);
    static final Duration MAX_PAUSE = Duration.ofMinutes(10);

    private final int max;
    private boolean changed;
    private long changedNanos;
    private boolean onTrial;
    private boolean relaxed;
    private long relaxedNanos;
    private long pauseNanos = FIRST_PAUSE.toNanos();
    private boolean paused;
    private long pausedUntilNanos;

    /** Creates a policy for at most that number of engines. */
    ScalingPolicy(int max) {
        this.max = max;
    }

    /**
     * Returns the number of engines that should be active.
     *
     * @param active the number of engines that are active
     * @param utilization the share of time in which each active engine had work since the last measurement
     * @param idleProcessors the number of processors without work in that time; called only if it matters
     * @param now the time in nanoseconds
     */
    int next(int active, double[] utilization, DoubleSupplier idleProcessors, long now) {
        double mean = mean(active, utilization);
        // Sampled also when no change is possible, so that the next sample is of the interval before it.
        boolean wantsMore = mean >= SATURATED && idleProcessors.getAsDouble() >= MIN_IDLE_PROCESSORS;
        if (changed && now - changedNanos < SETTLING.toNanos()) {
            return active;
        }
        if (onTrial && now - changedNanos >= TRIAL.toNanos()) {
            onTrial = false;
            if (utilization[active - 1] < MIN_UTILIZATION && mean * active >= RELAXED) {
                failed(now);
                return change(active - 1, now);
            }
            pauseNanos = FIRST_PAUSE.toNanos();
        }
        if (wantsMore && active < max && !isPaused(now)) {
            onTrial = true;
            return change(active + 1, now);
        }
        if (isRelaxed(active, mean, now)) {
            onTrial = false;
            return change(active - 1, now);
        }
        return active;
    }

    private static double mean(int active, double[] utilization) {
        double sum = 0;
        for (int i = 0; i < active; i++) {
            sum += utilization[i];
        }
        return sum / active;
    }

    /** Defers the next attempt to add an engine, because this one failed or was of no use. */
    void failed(long now) {
        onTrial = false;
        paused = true;
        pausedUntilNanos = now + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE.toNanos());
    }

    private boolean isPaused(long now) {
        paused = paused && now - pausedUntilNanos < 0;
        return paused;
    }

    private boolean isRelaxed(int active, double mean, long now) {
        if (active == 1 || mean * active / (active - 1) >= RELAXED) {
            relaxed = false;
            return false;
        }
        if (!relaxed) {
            relaxed = true;
            relaxedNanos = now;
        }
        return now - relaxedNanos >= RELAXED_FOR.toNanos();
    }

    private int change(int active, long now) {
        changed = true;
        changedNanos = now;
        relaxed = false;
        return active;
    }
}
