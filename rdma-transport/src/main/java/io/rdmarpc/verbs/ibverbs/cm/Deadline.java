package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.ibverbs.device.Nanos;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The common deadline of several waits.
 *
 * @param start the start, a value of {@link System#nanoTime}
 * @param timeout maximum total duration
 */
public record Deadline(long start, Duration timeout) {

    private static final int NEVER_MILLIS = Integer.MAX_VALUE / 2;

    public static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime(), timeout);
    }

    /** Returns the remaining nanoseconds, 0 after the deadline. */
    long nanos() {
        return Math.max(0, Nanos.of(timeout) - (System.nanoTime() - start));
    }

    public boolean isOver() {
        return nanos() == 0;
    }

    /** Returns the total timeout, for messages. */
    long timeoutMillis() {
        return TimeUnit.NANOSECONDS.toMillis(Nanos.of(timeout));
    }

    /** Returns a timeout for the kernel that expires after this deadline, in milliseconds. */
    int kernelMillis() {
        long slack = TimeUnit.SECONDS.toMillis(1);
        return (int) Math.min(NEVER_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos()) + slack);
    }
}
