package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.ibverbs.device.Nanos;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The end of several waits that share one time-out.
 *
 * @param start when it began to count, of {@link System#nanoTime}
 * @param timeout how long it may take together
 */
public record Deadline(long start, Duration timeout) {

    private static final int NEVER_MILLIS = Integer.MAX_VALUE / 2;

    public static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime(), timeout);
    }

    /** Nanoseconds that are left, 0 when there are none. */
    long nanos() {
        return Math.max(0, Nanos.of(timeout) - (System.nanoTime() - start));
    }

    public boolean isOver() {
        return nanos() == 0;
    }

    /** The whole time-out, for messages. */
    long timeoutMillis() {
        return TimeUnit.NANOSECONDS.toMillis(Nanos.of(timeout));
    }

    /** Milliseconds for a kernel that shall not give up before this does. */
    int kernelMillis() {
        long slack = TimeUnit.SECONDS.toMillis(1);
        return (int) Math.min(NEVER_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos()) + slack);
    }
}
