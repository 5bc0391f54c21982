package io.rdmarpc.demo;

import java.util.List;
import java.util.Locale;

/**
 * The result of a measurement. Times are in microseconds.
 *
 * @param name name of the calls
 * @param calls number of calls
 * @param perSecond calls per second
 * @param p50 median of the latency
 * @param p99 latency that 1 % of the calls exceed
 * @param p999 latency that 0.1 % of the calls exceed
 * @param max longest latency
 * @param problem describes wrong responses and failures, empty if there were none
 */
public record MeasurementResult(
        String name, long calls, double perSecond, double p50, double p99, double p999, double max, String problem) {

    public static final String HEADER = String.format(
            Locale.ROOT,
            "%-28s %9s %10s %9s %9s %9s %9s",
            "",
            "calls",
            "calls/s",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "max µs");

    private static final String SEPARATOR = "\t";
    private static final int FIELDS = 8;

    /** Returns whether all responses were correct, and whether there was one. */
    public boolean isClean() {
        return problem.isEmpty() && calls > 0;
    }

    /** Returns a row of the table below {@link #HEADER}. */
    public String row(String label) {
        return String.format(
                Locale.ROOT, "%-28s %9d %10.0f %9.1f %9.1f %9.1f %9.1f", label, calls, perSecond, p50, p99, p999, max);
    }

    /** Returns this result as one line of text for another process. */
    public String toLine() {
        return String.join(
                SEPARATOR,
                name,
                Long.toString(calls),
                Double.toString(perSecond),
                Double.toString(p50),
                Double.toString(p99),
                Double.toString(p999),
                Double.toString(max),
                problem.replace('\t', ' ').replace('\n', ' '));
    }

    /**
     * Returns the result that a line describes.
     *
     * @throws IllegalArgumentException if it is not a line of {@link #toLine()}
     */
    public static MeasurementResult ofLine(String line) {
        List<String> fields = List.of(line.split(SEPARATOR, -1));
        if (fields.size() != FIELDS) {
            throw new IllegalArgumentException(
                    "a result has " + FIELDS + " fields, but this line has " + fields.size() + ": " + line);
        }
        return new MeasurementResult(
                fields.get(0),
                Long.parseLong(fields.get(1)),
                Double.parseDouble(fields.get(2)),
                Double.parseDouble(fields.get(3)),
                Double.parseDouble(fields.get(4)),
                Double.parseDouble(fields.get(5)),
                Double.parseDouble(fields.get(6)),
                fields.get(7));
    }
}
