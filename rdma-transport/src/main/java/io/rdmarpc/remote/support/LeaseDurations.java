package io.rdmarpc.remote.support;

import java.time.Duration;

/** Checks the durations of leases. */
public final class LeaseDurations {

    private static final Duration MAX = Duration.ofDays(3650);

    private LeaseDurations() {}

    /**
     * Checks a duration.
     *
     * @return the same duration
     * @throws IllegalArgumentException if it is not positive or exceeds ten years
     */
    public static Duration check(Duration lease) {
        if (lease.isNegative() || lease.isZero() || lease.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(
                    "A lease of " + lease + " is not possible: use a positive duration of at most 10 years");
        }
        return lease;
    }
}
