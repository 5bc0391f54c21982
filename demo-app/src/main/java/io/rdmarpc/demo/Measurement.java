package io.rdmarpc.demo;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Latencies, wrong responses and failures of one kind of call. Thread-safe. */
public final class Measurement {

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String name;
    private final Histogram nanos = new ConcurrentHistogram(LONGEST_NANOS, 3);
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong missing = new AtomicLong();
    private final AtomicLong durationNanos = new AtomicLong();
    private volatile @Nullable String firstProblem;

    public Measurement(String name) {
        this.name = name;
    }

    /** Makes one call and returns whether the response is correct. */
    @FunctionalInterface
    public interface Call {
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

    /** Adds a period in which the calls were made. */
    void took(Duration elapsed) {
        durationNanos.addAndGet(elapsed.toNanos());
    }

    /** Returns what was measured so far. No call may be in progress. */
    public MeasurementResult result() {
        long calls = nanos.getTotalCount();
        long elapsed = durationNanos.get();
        return new MeasurementResult(
                name,
                calls,
                elapsed == 0 ? 0 : calls * 1e9 / elapsed,
                micros(nanos.getValueAtPercentile(50)),
                micros(nanos.getValueAtPercentile(99)),
                micros(nanos.getValueAtPercentile(99.9)),
                micros(calls == 0 ? 0 : nanos.getMaxValue()),
                problem(calls));
    }

    private static double micros(long nanos) {
        return nanos / 1000.0;
    }

    private String problem(long calls) {
        if (wrong.get() == 0 && missing.get() == 0) {
            return "";
        }
        return name + ": " + wrong + " wrong responses and " + missing + " failures in " + calls
                + (firstProblem == null ? "" : ", first: " + firstProblem);
    }
}
