package io.rdmarpc.benchmarks.table;

import java.util.Arrays;
import java.util.Locale;

/** What the runs of one row gave. */
final class Values {

    private final double[] sorted;

    Values(double... values) {
        sorted = values.clone();
        Arrays.sort(sorted);
    }

    double median() {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** {@code median [least-most]}. */
    String text(int digits) {
        String one = "%." + digits + "f";
        return String.format(
                Locale.ROOT, one + " [" + one + "-" + one + "]", median(), sorted[0], sorted[sorted.length - 1]);
    }
}
