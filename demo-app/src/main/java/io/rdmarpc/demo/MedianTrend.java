package io.rdmarpc.demo;

import java.util.ArrayList;
import java.util.List;

/** The medians of successive periods of calls, and whether calls still get faster. Not thread-safe. */
public final class MedianTrend {

    /** Difference of two medians that counts as faster instead of noise. */
    private static final double NOISE = 0.03;

    /** A period slower than the fastest one by this factor was cold, or disturbed by other programs. It does not count. */
    private static final double DISTURBED = 1.5;

    private static final int PERIODS_BEFORE = 2;

    private final List<Double> medians = new ArrayList<>();

    /**
     * Adds a period.
     *
     * @param median its median latency, NaN if no call completed
     */
    public void add(double median) {
        medians.add(median);
    }

    /** Returns the median of the last period, NaN before the first one. */
    public double last() {
        return medians.isEmpty() ? Double.NaN : medians.getLast();
    }

    /** Returns whether the last period is no faster than the two before it that count. */
    public boolean isSteady() {
        double fastest = medians.stream()
                .mapToDouble(Double::doubleValue)
                .filter(median -> !Double.isNaN(median))
                .min()
                .orElse(Double.NaN);
        List<Double> counted =
                medians.stream().filter(median -> median <= fastest * DISTURBED).toList();
        int last = counted.size() - 1;
        boolean lastCounts = last() <= fastest * DISTURBED;
        return lastCounts
                && last >= PERIODS_BEFORE
                && counted.subList(last - PERIODS_BEFORE, last).stream()
                        .allMatch(before -> last() >= before * (1 - NOISE));
    }
}
