package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Median;
import java.util.Arrays;
import java.util.Locale;

/** Formats numbers for tables, with three significant digits, or with four if there are many rounds. */
public final class Numbers {

    /**
     * Up to this number of rounds, the spread is the minimum and the maximum; beyond it, the median's 95 % confidence
     * interval.
     */
    public static final int FEW = 20;

    /** Half the width of the confidence interval in ranks, divided by the square root of the number of values. */
    private static final double HALF_WIDTH = 1.96 / 2;

    private Numbers() {}

    /**
     * Returns the median and the spread of the values that are not NaN.
     *
     * @param all the values
     * @param unit their unit; empty for none
     * @return the text, or a dash if there is no such value
     */
    public static String spread(double[] all, String unit) {
        double[] values = present(all);
        if (values.length == 0) {
            return "-";
        }
        Arrays.sort(values);
        boolean few = values.length <= FEW;
        int out = few ? values.length : (int) Math.ceil(HALF_WIDTH * Math.sqrt(values.length));
        int low = Math.max(0, (values.length - 1) / 2 - out);
        int high = Math.min(values.length - 1, values.length / 2 + out);
        int digits = few ? 3 : 4;
        return text(Median.of(values), digits) + " [" + text(values[low], digits) + "-" + text(values[high], digits)
                + "]" + (unit.isEmpty() ? "" : " " + unit);
    }

    /**
     * Returns whole percent.
     *
     * @param value the value in percent
     * @return the text, or a dash for NaN
     */
    public static String percent(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.0f %%", value);
    }

    /**
     * Returns the values that are not NaN.
     *
     * @param values the values
     * @return a new array
     */
    public static double[] present(double... values) {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).toArray();
    }

    /**
     * Returns a number with three significant digits.
     *
     * @param value the number
     * @return the text, or a dash for NaN
     */
    public static String text(double value) {
        return text(value, 3);
    }

    private static String text(double value, int digits) {
        double size = Math.abs(value);
        if (value == 0 || Double.isNaN(value)) {
            return value == 0 ? "0" : "-";
        }
        if (size >= 1e4) {
            double unit = size >= 1e6 ? 1e6 : 1e3;
            int decimals = digits - (size >= 1e6 ? 1 : 2);
            return String.format(Locale.ROOT, "%." + decimals + "f", value / unit) + (size >= 1e6 ? " M" : " k");
        }
        int decimals = digits - (size >= 100 ? 3 : size >= 10 ? 2 : size >= 0.1 ? 1 : 0);
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
