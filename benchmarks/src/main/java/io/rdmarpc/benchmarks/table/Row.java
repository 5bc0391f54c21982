package io.rdmarpc.benchmarks.table;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table.
 *
 * @param title what is measured
 * @param unit of both values
 * @param goal what it has to show
 * @param ours starts our meter
 * @param probe starts that of the bare program, null when our value stands for itself
 * @param probeName its name
 */
record Row(
        String title,
        String unit,
        Goal goal,
        Source ours,
        @Nullable Source probe,
        String probeName) {

    /** Starts a meter. */
    interface Source {
        Meter open() throws IOException;
    }

    static Row alone(String title, String unit, Goal goal, Source ours) {
        return new Row(title, unit, goal, ours, null, "-");
    }

    /** Measures, prints the row, and tells whether the goal was met. */
    boolean measure(int runs, PrintWriter out, PrintWriter log) throws IOException {
        return probe == null ? measureAlone(out) : measurePairs(probe, runs, out, log);
    }

    private boolean measureAlone(PrintWriter out) throws IOException {
        try (Meter meter = ours.open()) {
            double value = meter.measure();
            return print(out, String.format(Locale.ROOT, "%.3f", value), "-", "-", 1, value);
        }
    }

    /** Probe and ours in turn, so that both meet the same machine. The first pair, which the compilers need, is left out. */
    private boolean measurePairs(Source bare, int runs, PrintWriter out, PrintWriter log) throws IOException {
        double[] own = new double[runs];
        double[] others = new double[runs];
        double[] ratios = new double[runs];
        try (Meter theirs = bare.open();
                Meter meter = ours.open()) {
            for (int i = -1; i < runs; i++) {
                double other = theirs.measure();
                double value = meter.measure();
                if (i >= 0) {
                    others[i] = other;
                    own[i] = value;
                    ratios[i] = value / other;
                    log.printf(Locale.ROOT, "%s: %.3f, %s %.3f%n", title, value, probeName, other);
                }
            }
        }
        Values values = new Values(own);
        Values ratio = new Values(ratios);
        return print(
                out,
                values.text(2),
                probeName + " " + new Values(others).text(2),
                ratio.text(2),
                ratio.median(),
                values.median());
    }

    private boolean print(PrintWriter out, String own, String other, String ratios, double ratio, double value) {
        String verdict = goal.verdict(ratio, value);
        out.printf("| %s | %s %s | %s | %s | %s | %s |%n", title, own, unit, other, ratios, goal.text(), verdict);
        return !verdict.equals("missed");
    }
}
