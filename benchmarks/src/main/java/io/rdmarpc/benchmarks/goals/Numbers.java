package io.rdmarpc.benchmarks.goals;

import java.util.Locale;

/** Numbers for people: three digits that mean something. */
final class Numbers {

    private Numbers() {}

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
