package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.MedianTrend;
import java.time.Duration;
import java.util.Locale;

/**
 * Decides when a pair of processes is warm: the last slice is no faster than the two undisturbed slices before it, and
 * the JIT compiler of the client is idle. Not thread-safe.
 */
final class WarmUp {

    private static final double MOST_COMPILER_PERCENT = 10;

    private final Duration limit;
    private final MedianTrend trend = new MedianTrend();
    private double compilerPercent;
    private Duration spent = Duration.ZERO;

    WarmUp(Duration limit) {
        this.limit = limit;
    }

    /**
     * A period of calls.
     *
     * @param p50Micros median of the latency of an order with one caller
     * @param compilerPercent share of the time in which the JIT compiler of the client worked
     */
    record Slice(double p50Micros, double compilerPercent) {

        /** Returns the slice that a line describes. */
        static Slice ofLine(String line) {
            String[] fields = line.split(" ", -1);
            return new Slice(Double.parseDouble(fields[0]), Double.parseDouble(fields[1]));
        }

        String toLine() {
            return String.format(Locale.ROOT, "%.3f %.1f", p50Micros, compilerPercent);
        }
    }

    void add(Slice slice, Duration time) {
        trend.add(slice.p50Micros());
        compilerPercent = slice.compilerPercent();
        spent = spent.plus(time);
    }

    boolean isWarm() {
        return compilerPercent <= MOST_COMPILER_PERCENT && trend.isSteady();
    }

    boolean isOver() {
        return isWarm() || spent.compareTo(limit) >= 0;
    }

    /** Returns the progress for readers. */
    String progress() {
        String time = String.format(Locale.ROOT, "%2d s", Math.round(spent.toNanos() / 1e9));
        double p50 = trend.last();
        return Double.isNaN(p50) ? time : time + String.format(Locale.ROOT, ", p50 %.1f µs", p50);
    }
}
