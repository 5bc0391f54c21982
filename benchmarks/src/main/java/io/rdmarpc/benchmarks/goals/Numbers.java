package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Median;
import java.util.Arrays;
import java.util.Locale;

/** Numbers for people: three digits that mean something. */
final class Numbers {

    private Numbers() {}

    /** Median, least and most of what is a number. */
    static String spread(double[] all, String unit) {
        double[] values = present(all);
        if (values.length == 0) {
            return "-";
        }
        Arrays.sort(values);
        return text(Median.of(values))
                + " ["
                + text(values[0])
                + "-"
                + text(values[values.length - 1])
                + "]"
                + (unit.isEmpty() ? "" : " " + unit);
    }

    /** Whole percent; a dash for what nobody looked at. */
    static String percent(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.0f %%", value);
    }

    /** Those that are numbers. */
    static double[] present(double... values) {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).toArray();
    }

    static String text(double value) {
        double size = Math.abs(value);
        if (value == 0 || Double.isNaN(value)) {
            return value == 0 ? "0" : "-";
        }
        if (size >= 1e6) {
            return String.format(Locale.ROOT, "%.2f M", value / 1e6);
        }
        if (size >= 1e4) {
            return String.format(Locale.ROOT, "%.1f k", value / 1e3);
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (size >= 10) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return String.format(Locale.ROOT, size >= 0.1 ? "%.2f" : "%.3f", value);
    }
}
