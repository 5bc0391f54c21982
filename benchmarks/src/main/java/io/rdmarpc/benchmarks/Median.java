package io.rdmarpc.benchmarks;

import java.util.Arrays;

/** Median of numbers. */
public final class Median {

    private Median() {}

    /**
     * Returns the median.
     *
     * @param values in any order
     * @return the mean of the two in the middle where their number is even; not a number if there are none
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
