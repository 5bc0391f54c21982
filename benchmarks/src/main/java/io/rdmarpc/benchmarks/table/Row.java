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
 * @param isOnce whether one measurement is enough: it counts, or goes on for long by itself
 */
record Row(
        String title,
        String unit,
        Goal goal,
        Source ours,
        @Nullable Source probe,
        String probeName,
        boolean isOnce) {

    Row(String title, String unit, Goal goal, Source ours, Source probe, String probeName) {
        this(title, unit, goal, ours, probe, probeName, false);
    }

    /** Starts a meter. */
    interface Source {
        Meter open() throws IOException;
    }

    static Row alone(String title, String unit, Goal goal, Source ours) {
        return new Row(title, unit, goal, ours, null, "-", false);
    }

    static Row once(String title, String unit, Goal goal, Source ours) {
        return new Row(title, unit, goal, ours, null, "-", true);
    }

    /** Measures, prints the row, and tells whether the goal was met. */
    boolean measure(int runs, PrintWriter out, PrintWriter log) throws IOException {
        return probe == null ? measureAlone(isOnce ? 1 : runs, out) : measurePairs(probe, runs, out, log);
    }

    private boolean measureAlone(int runs, PrintWriter out) throws IOException {
        double[] own = new double[runs];
        OtherPrograms others = new OtherPrograms();
        try (Meter meter = ours.open()) {
            for (int i = 0; i < runs; i++) {
                own[i] = meter.measure();
            }
        }
        Values values = new Values(own);
        String text = runs == 1 ? String.format(Locale.ROOT, "%.3f", values.median()) : values.text(2);
        return print(out, text, "-", "-", 1, values.median(), others.percent());
    }

    /** Probe and ours in turn, so that both meet the same machine. The first pair, which the compilers need, is left out. */
    private boolean measurePairs(Source bare, int runs, PrintWriter out, PrintWriter log) throws IOException {
        double[] own = new double[runs];
        double[] others = new double[runs];
        double[] ratios = new double[runs];
        double disturbed;
        try (Meter theirs = bare.open();
                Meter meter = ours.open()) {
            OtherPrograms otherPrograms = new OtherPrograms();
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
            disturbed = otherPrograms.percent();
        }
        Values values = new Values(own);
        Values ratio = new Values(ratios);
        return print(
                out,
                values.text(2),
                probeName + " " + new Values(others).text(2),
                ratio.text(2),
                ratio.median(),
                values.median(),
                disturbed);
    }

    private boolean print(
            PrintWriter out, String own, String other, String ratios, double ratio, double value, double disturbed) {
        String verdict = goal.verdict(ratio, value);
        out.printf(
                Locale.ROOT,
                "| %s | %s %s | %s | %s | %s | %s | %.0f %% |%n",
                title,
                own,
                unit,
                other,
                ratios,
                goal.text(),
                verdict,
                disturbed);
        return !verdict.equals("missed");
    }
}
