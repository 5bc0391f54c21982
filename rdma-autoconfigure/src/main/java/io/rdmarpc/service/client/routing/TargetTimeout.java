package io.rdmarpc.service.client.routing;

import java.time.Duration;
import org.springframework.util.Assert;

/** Call time-out of a target if the method sets none. A change applies to calls that begin afterwards. Thread-safe. */
public final class TargetTimeout {

    private volatile long nanos;

    /**
     * Creates a time-out.
     *
     * @param timeout longer than 0
     */
    public TargetTimeout(Duration timeout) {
        set(timeout);
    }

    /**
     * Returns the current time-out.
     *
     * @return longer than 0
     */
    public Duration get() {
        return Duration.ofNanos(nanos);
    }

    /**
     * Changes the time-out.
     *
     * @param timeout longer than 0
     * @throws IllegalArgumentException if it is not longer than 0
     */
    public void set(Duration timeout) {
        Assert.isTrue(
                timeout.isPositive(), () -> "invalid call time-out " + timeout + ": set a time-out longer than 0");
        nanos = timeout.toNanos();
    }

    /**
     * Returns the current time-out.
     *
     * @return nanoseconds
     */
    public long nanos() {
        return nanos;
    }
}
