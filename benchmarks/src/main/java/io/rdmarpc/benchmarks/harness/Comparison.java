package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;

/**
 * A figure that is measured in rounds, and the figure with which it is compared in each round. A dash stands for an
 * absent value: a name, a mode of calls, a peer or a goal. If the label is absent, the figure is this project's.
 */
record Comparison(
        String section, String id, String measure, String mode, String unit, String ours, String peer, String goal) {

    /** Name of the file that has a line for each round of each comparison. */
    static final String FILE = "results.csv";

    static final String NONE = MarkdownTable.NONE;
    static final String OURS = "ours_value";
    static final String PEER = "peer_value";

    /** Name of the column with the share of all CPUs that other programs used during the measurement. */
    static final String OTHERS = "others_percent";

    /** Creates a comparison without a name and without a mode of calls. */
    static Comparison plain(String section, String measure, String unit, String ours, String peer, String goal) {
        return new Comparison(section, NONE, measure, NONE, unit, ours, peer, goal);
    }

    static Comparison of(CsvRow row) {
        return new Comparison(
                row.text("section"),
                row.text("id"),
                row.text("measure"),
                row.text("mode"),
                row.text("unit"),
                row.text("ours"),
                row.text("peer"),
                row.text("goal"));
    }

    /** Creates the line of a round. A figure that was not measured is NaN. */
    CsvRow round(int round, double ourFigure, double peerFigure, double othersPercent) {
        return CsvRow.of(
                "section",
                section,
                "id",
                id,
                "measure",
                measure,
                "mode",
                mode,
                "unit",
                unit,
                "ours",
                ours,
                OURS,
                ourFigure,
                "peer",
                peer,
                PEER,
                peerFigure,
                "goal",
                goal,
                "round",
                round,
                OTHERS,
                othersPercent);
    }
}
