package io.rdmarpc.benchmarks.probe;

import java.util.Arrays;
import java.util.Locale;

/** Median, minimum and maximum of several runs. */
final class Spread {

    private final double[] sorted;

    Spread(double... results) {
        sorted = results.clone();
        Arrays.sort(sorted);
    }

    double median() {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** Formats {@code name median unit (minimum to maximum in n runs)}. */
    String line(String name, String unit) {
        return String.format(
                Locale.ROOT,
                "%s %.3f %s (%.3f to %.3f in %d runs)",
                name,
                median(),
                unit,
                sorted[0],
                sorted[sorted.length - 1],
                sorted.length);
    }
}
