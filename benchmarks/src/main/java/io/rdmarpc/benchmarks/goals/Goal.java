package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Median;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A row of the scored table.
 *
 * @param id such as P1
 * @param group measured together, in turn
 * @param text the workload
 * @param ours our number
 * @param theirs what it is compared with; null when it stands for itself
 * @param bound of the ratio, or of our number
 * @param atMost whether the bound is the most; else the least
 */
record Goal(
        String id,
        String group,
        String text,
        Figure ours,
        @Nullable Figure theirs,
        double bound,
        boolean atMost) {

    static final String HEADER =
            "| # | workload | how we are called: API; dispatch; who polls | ours, median [least-most] |"
                    + " peer, median [least-most] |"
                    + " ratio, median [least-most] | goal | met? | others |\n|---|---|---|--:|--:|--:|---|---|--:|";

    List<Need> needs() {
        List<Need> needs = new ArrayList<>(ours.needs());
        if (theirs != null) {
            needs.addAll(theirs.needs());
        }
        return needs;
    }

    /** Returns met, missed, or that it was not measured. */
    String verdict(Results results) {
        double median = Median.of(judged(results));
        if (Double.isNaN(median)) {
            return "not measured";
        }
        return (atMost ? median <= bound : median >= bound) ? "met" : "missed";
    }

    /** The ratios, or our numbers where there is nothing to compare with: those of the rounds that have them. */
    private double[] judged(Results results) {
        return theirs == null ? Numbers.present(ours.values(results)) : ours.ratios(theirs, results);
    }

    String row(Results results) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s: %s | %s | %s | %s | %s | %s |",
                id,
                text,
                ours.mode(),
                ours.label(),
                ours.spread(results),
                theirs == null ? "-" : theirs.label() + ": " + theirs.spread(results),
                theirs == null ? "-" : Numbers.spread(judged(results), ""),
                goalText(),
                verdict(results),
                Numbers.percent(results.others(needs())));
    }

    private String goalText() {
        String sign = atMost ? "<= " : ">= ";
        return (theirs == null ? "" : "ratio ")
                + sign
                + Numbers.text(bound)
                + (theirs == null ? " " + ours.unit() : "");
    }
}
