package io.rdmarpc.verbs.soft.progress;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether other threads poll often enough to run the RNIC. The caller may check at any time, even after each of
 * its own steps. A count of polls ends when it is sufficient or the period has passed.
 */
public final class OtherPollers {

    /**
     * The period of measurement, which is also the maximum delay of a packet that arrives right after the last poll.
     */
    public static final long PERIOD_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Minimum number of polls in a period by which the other threads are busy. */
    static final int BUSY_POLLS = 8;

    private long lastPolls;
    private long lastNanos;

    /** Returns whether others are busy, given the number of polls of all threads until now. */
    public boolean areBusy(long allPolls, long nowNanos) {
        long polls = allPolls - lastPolls;
        long passed = nowNanos - lastNanos;
        if (polls < BUSY_POLLS && passed < PERIOD_NANOS) {
            // The period has not ended.
            return false;
        }
        lastPolls = allPolls;
        lastNanos = nowNanos;
        double periods = Math.max(1, (double) passed / PERIOD_NANOS);
        return polls / periods >= BUSY_POLLS;
    }
}
