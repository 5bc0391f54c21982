package io.rdmarpc.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Times as messages show them: in milliseconds, and in microseconds where those would say too little. */
public final class TimeText {

    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private TimeText() {}

    /**
     * Writes a time.
     *
     * @param nanos nanoseconds
     * @return such as {@code 250 ms}, or {@code 250 µs} below 10 ms
     */
    public static String of(long nanos) {
        return nanos >= SHORT_NANOS || nanos % TimeUnit.MILLISECONDS.toNanos(1) == 0
                ? TimeUnit.NANOSECONDS.toMillis(nanos) + " ms"
                : TimeUnit.NANOSECONDS.toMicros(nanos) + " µs";
    }

    /**
     * Writes a time.
     *
     * @param time a duration of at most 292 years
     * @return as {@link #of(long)}
     */
    public static String of(Duration time) {
        return of(time.toNanos());
    }
}
