package io.rdmarpc.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Formats times for messages: in milliseconds, or in microseconds if milliseconds are too coarse. */
public final class TimeText {

    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private TimeText() {}

    /**
     * Formats a time.
     *
     * @param nanos the time in nanoseconds
     * @return for example {@code 250 ms}, or {@code 250 µs} below 10 ms
     */
    public static String of(long nanos) {
        return nanos >= SHORT_NANOS || nanos % TimeUnit.MILLISECONDS.toNanos(1) == 0
                ? TimeUnit.NANOSECONDS.toMillis(nanos) + " ms"
                : TimeUnit.NANOSECONDS.toMicros(nanos) + " µs";
    }

    /**
     * Formats a time.
     *
     * @param time a duration of at most 292 years
     * @return the text that {@link #of(long)} returns
     */
    public static String of(Duration time) {
        return of(time.toNanos());
    }
}
