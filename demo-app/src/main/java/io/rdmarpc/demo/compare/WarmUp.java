package io.rdmarpc.demo.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Decides when a pair of processes is warm: the last slice is no faster than the two undisturbed slices before it, and
 * the JIT compiler of the client is idle. Not thread-safe.
 */
final class WarmUp {

    /** Difference of two medians that counts as faster instead of noise. */
    private static final double NOISE = 0.03;

    /** A slice slower than the fastest one by this factor was cold, or disturbed by other programs. It does not count. */
    private static final double DISTURBED = 1.5;

    private static final double MOST_COMPILER_PERCENT = 10;
    private static final int SLICES_BEFORE = 2;

    private final Duration limit;
    private final List<Slice> slices = new ArrayList<>();
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
        slices.add(slice);
        spent = spent.plus(time);
    }

    boolean isWarm() {
        double fastest = slices.stream().mapToDouble(Slice::p50Micros).min().orElse(0);
        List<Slice> counted = slices.stream()
                .filter(slice -> slice.p50Micros() <= fastest * DISTURBED)
                .toList();
        int last = counted.size() - 1;
        if (last < SLICES_BEFORE || slices.getLast().p50Micros() > fastest * DISTURBED) {
            return false;
        }
        double p50 = counted.get(last).p50Micros();
        return counted.get(last).compilerPercent() <= MOST_COMPILER_PERCENT
                && counted.subList(last - SLICES_BEFORE, last).stream()
                        .allMatch(before -> p50 >= before.p50Micros() * (1 - NOISE));
    }

    boolean isOver() {
        return isWarm() || spent.compareTo(limit) >= 0;
    }

    /** Returns the progress for readers. */
    String progress() {
        String time = String.format(Locale.ROOT, "%2d s", Math.round(spent.toNanos() / 1e9));
        return slices.isEmpty()
                ? time
                : time
                        + String.format(
                                Locale.ROOT, ", p50 %.1f µs", slices.getLast().p50Micros());
    }
}
