package io.rdmarpc.demo;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Latencies, wrong responses and failures of one kind of call. Thread-safe. */
final class Measurement {

    static final String HEADER = String.format(
            Locale.ROOT, "%-28s %9s %10s %10s %10s %10s", "", "calls", "calls/s", "p50 us", "p99 us", "p99.9 us");

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String name;
    private final Histogram nanos = new ConcurrentHistogram(LONGEST_NANOS, 3);
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong missing = new AtomicLong();
    private volatile @Nullable String firstProblem;
    private volatile Duration duration = Duration.ofNanos(1);

    Measurement(String name) {
        this.name = name;
    }

    /** Makes one call and returns whether the response is correct. */
    @FunctionalInterface
    interface Call {
        boolean hasCorrectResponse(long number);
    }

    void one(long number, Call call) {
        long start = System.nanoTime();
        try {
            if (!call.hasCorrectResponse(number)) {
                wrong.incrementAndGet();
                recordProblem("wrong response to call " + number);
            }
        } catch (RuntimeException e) {
            missing.incrementAndGet();
            recordProblem(e.toString());
        }
        nanos.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - start));
    }

    private void recordProblem(String description) {
        if (firstProblem == null) {
            firstProblem = description;
        }
    }

    void took(Duration elapsed) {
        duration = elapsed;
    }

    boolean isClean() {
        return wrong.get() == 0 && missing.get() == 0 && nanos.getTotalCount() > 0;
    }

    String row() {
        double seconds = duration.toNanos() / 1e9;
        return String.format(
                Locale.ROOT,
                "%-28s %9d %10.0f %10.1f %10.1f %10.1f",
                name,
                nanos.getTotalCount(),
                nanos.getTotalCount() / seconds,
                micros(50),
                micros(99),
                micros(99.9));
    }

    private double micros(double percentile) {
        return nanos.getValueAtPercentile(percentile) / 1000.0;
    }

    @Nullable
    String complaint() {
        if (isClean()) {
            return null;
        }
        return name + ": " + wrong + " wrong responses and " + missing + " failures in " + nanos.getTotalCount()
                + (firstProblem == null ? "" : ", first: " + firstProblem);
    }
}
