package io.rdmarpc.benchmarks;

import java.util.Arrays;

/** Computes the median of numbers. */
public final class Median {

    private Median() {}

    /**
     * Returns the median.
     *
     * @param values values in any order
     * @return the median; the mean of the middle two of an even number of values; NaN if there are no values
     */
    public static double of(double... values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
