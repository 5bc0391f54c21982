package io.rdmarpc.service.client.routing;

import java.time.Duration;
import org.springframework.util.Assert;

/** Call timeout of a target if the method sets none. A change applies to calls that begin afterwards. Thread-safe. */
public final class TargetTimeout {

    private volatile long nanos;

    /**
     * Creates a timeout.
     *
     * @param timeout longer than 0
     */
    public TargetTimeout(Duration timeout) {
        set(timeout);
    }

    /**
     * Returns the current timeout.
     *
     * @return longer than 0
     */
    public Duration get() {
        return Duration.ofNanos(nanos);
    }

    /**
     * Changes the timeout.
     *
     * @param timeout longer than 0
     * @throws IllegalArgumentException if it is not longer than 0
     */
    public void set(Duration timeout) {
        Assert.isTrue(timeout.isPositive(), () -> "invalid call timeout " + timeout + ": set a timeout longer than 0");
        nanos = timeout.toNanos();
    }

    /**
     * Returns the current timeout.
     *
     * @return nanoseconds
     */
    public long nanos() {
        return nanos;
    }
}
