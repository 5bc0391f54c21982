package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Median;
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
        return Median.of(sorted);
    }

    /** {@code median [least-most]}. */
    String text(int digits) {
        String one = "%." + digits + "f";
        return String.format(
                Locale.ROOT, one + " [" + one + "-" + one + "]", median(), sorted[0], sorted[sorted.length - 1]);
    }
}
