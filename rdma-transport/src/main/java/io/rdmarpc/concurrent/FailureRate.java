package io.rdmarpc.concurrent;

import java.time.Duration;

/**
 * Distinguishes single failures, after which a component continues, from a lasting failure. Only one thread at a time
 * may use it.
 */
public final class FailureRate {

    private final int limit;
    private final long windowNanos;
    private int count;
    private long beganNanos;

    /**
     * Creates a rate without failures.
     *
     * @param limit number of failures within the window that counts as a lasting failure
     * @param window length of the window
     */
    public FailureRate(int limit, Duration window) {
        this.limit = limit;
        this.windowNanos = window.toNanos();
    }

    /**
     * Counts a failure.
     *
     * @param nowNanos the time of the failure, in nanoseconds
     * @return true if the number of failures within the window has reached the limit
     */
    public boolean add(long nowNanos) {
        if (count == 0 || nowNanos - beganNanos >= windowNanos) {
            count = 0;
            beganNanos = nowNanos;
        }
        return ++count >= limit;
    }

    /** Resets the count. */
    public void clear() {
        count = 0;
    }
}
