package io.rdmarpc.remote.support;

import java.time.Duration;

/** Checks durations of leases. */
public final class LeaseDurations {

    private static final Duration MAX = Duration.ofDays(3650);

    private LeaseDurations() {}

    /**
     * Checks a duration.
     *
     * @return the same
     * @throws IllegalArgumentException unless it is over 0 and at most ten years
     */
    public static Duration check(Duration lease) {
        if (lease.isNegative() || lease.isZero() || lease.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("a lease of " + lease + ": it is over 0 and at most ten years");
        }
        return lease;
    }
}
