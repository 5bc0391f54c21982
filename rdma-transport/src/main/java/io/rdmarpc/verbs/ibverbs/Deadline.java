package io.rdmarpc.verbs.ibverbs;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The end of several waits that share one time-out.
 *
 * @param start when it began to count, of {@link System#nanoTime}
 * @param timeout how long it may take together
 */
record Deadline(long start, Duration timeout) {

    /** Longer waits are not told apart from it: a century. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private static final int NEVER_MILLIS = Integer.MAX_VALUE / 2;

    static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime(), timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST);
    }

    /** Nanoseconds that are left, 0 when there are none. */
    long nanos() {
        return Math.max(0, timeout.toNanos() - (System.nanoTime() - start));
    }

    boolean isOver() {
        return nanos() == 0;
    }

    /** Milliseconds for a kernel that shall not give up before this does. */
    int kernelMillis() {
        long slack = TimeUnit.SECONDS.toMillis(1);
        return (int) Math.min(NEVER_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos()) + slack);
    }
}
