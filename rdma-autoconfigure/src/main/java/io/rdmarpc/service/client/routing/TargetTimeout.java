package io.rdmarpc.service.client.routing;

import java.time.Duration;
import org.springframework.util.Assert;

/** How long a call of a target may take where its method does not say. Calls that begin after a change have it. Any thread. */
public final class TargetTimeout {

    private volatile long nanos;

    /**
     * Starts with a time.
     *
     * @param timeout over 0
     */
    public TargetTimeout(Duration timeout) {
        set(timeout);
    }

    /**
     * Returns what counts now.
     *
     * @return over 0
     */
    public Duration get() {
        return Duration.ofNanos(nanos);
    }

    /**
     * Changes it.
     *
     * @param timeout over 0
     * @throws IllegalArgumentException when it is not
     */
    public void set(Duration timeout) {
        Assert.isTrue(timeout.isPositive(), () -> "a call cannot take " + timeout + ": give it a time over 0");
        nanos = timeout.toNanos();
    }

    /**
     * Returns it.
     *
     * @return ns
     */
    public long nanos() {
        return nanos;
    }
}
