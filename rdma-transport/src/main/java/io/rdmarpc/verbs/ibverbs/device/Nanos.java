package io.rdmarpc.verbs.ibverbs.device;

import java.time.Duration;

/** Time-outs as numbers. */
public final class Nanos {

    private static final long LONGEST_SECONDS = Long.MAX_VALUE / 1_000_000_000L - 1;

    private Nanos() {}

    /** Any duration: longer than 292 years is for ever, negative is now. */
    public static long of(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.toSeconds() > LONGEST_SECONDS ? Long.MAX_VALUE : duration.toNanos();
    }
}
