package io.rdmarpc.verbs.soft.progress;

import java.util.concurrent.TimeUnit;

/**
 * Tells whether others poll so often that they move the RNIC on. Who asks may ask at any time, after each step of its own too:
 * polls count until they are enough, or until a period is over.
 */
public final class OtherPollers {

    /** What comes right after the last poll waits for that long at most. */
    public static final long PERIOD_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Polls in that time that make a busy poller. */
    static final int BUSY_POLLS = 8;

    private long lastPolls;
    private long lastNanos;

    /** Takes how often anybody has polled so far. */
    public boolean areBusy(long allPolls, long nowNanos) {
        long polls = allPolls - lastPolls;
        long passed = nowNanos - lastNanos;
        if (polls < BUSY_POLLS && passed < PERIOD_NANOS) {
            // Too early to tell.
            return false;
        }
        lastPolls = allPolls;
        lastNanos = nowNanos;
        double periods = Math.max(1, (double) passed / PERIOD_NANOS);
        return polls / periods >= BUSY_POLLS;
    }
}
