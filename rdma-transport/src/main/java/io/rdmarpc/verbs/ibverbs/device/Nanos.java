package io.rdmarpc.verbs.ibverbs.device;

import java.time.Duration;

/** Converts durations to nanoseconds. */
public final class Nanos {

    private static final long LONGEST_SECONDS = Long.MAX_VALUE / 1_000_000_000L - 1;

    private Nanos() {}

    /**
     * Returns the nanoseconds of a duration: {@code Long.MAX_VALUE} for more than 292 years, 0 for a negative duration.
     */
    public static long of(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.toSeconds() > LONGEST_SECONDS ? Long.MAX_VALUE : duration.toNanos();
    }
}
