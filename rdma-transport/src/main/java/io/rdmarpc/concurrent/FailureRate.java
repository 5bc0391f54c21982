package io.rdmarpc.concurrent;

import java.time.Duration;

/**
 * Tells failures that come one by one, after each of which one goes on, from those that do not end. One thread at a time.
 */
public final class FailureRate {

    private final int most;
    private final long windowNanos;
    private int count;
    private long beganNanos;

    /**
     * Makes one without failures.
     *
     * @param most so many failures within the window are too many
     * @param window how long failures count
     */
    public FailureRate(int most, Duration window) {
        this.most = most;
        this.windowNanos = window.toNanos();
    }

    /**
     * Counts a failure.
     *
     * @param nowNanos when
     * @return true when there are too many
     */
    public boolean add(long nowNanos) {
        if (count == 0 || nowNanos - beganNanos >= windowNanos) {
            count = 0;
            beganNanos = nowNanos;
        }
        return ++count >= most;
    }

    /** Forgets all failures. */
    public void clear() {
        count = 0;
    }
}
