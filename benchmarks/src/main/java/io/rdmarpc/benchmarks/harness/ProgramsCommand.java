package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.OtherPrograms;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the software RNIC, the engine or remote memory, alternating with a bare program that does the same work. */
@Command(
        description = "measures this project, alternating with bare programs that do the same work on this machine",
        mixinStandardHelpOptions = true)
final class ProgramsCommand extends MeasuringCommand {

    @Option(
            names = "--runs",
            description = "number of measurements of each, alternating between this project and the bare program"
                    + " (default ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(names = "--only", description = "regular expression for the names of the rows to measure")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--share",
            description = "divides all counts, to check that the rows run; the numbers are then meaningless")
    private int share = 1;

    @Override
    void measure() throws IOException {
        for (CsvRow row : CsvRow.resource(Harness.class, name() + ".csv")) {
            if (only.matcher(row.text("measure")).find()) {
                measure(row);
            }
        }
    }

    private void measure(CsvRow row) throws IOException {
        String program = row.text("peer_program");
        try (Meter peer = program.isEmpty() ? null : Meter.open(program, share);
                Meter ours = Meter.open(row.text("ours"), share)) {
            // The first pair of measurements warms up the JIT compilers and does not count.
            if (peer != null) {
                double _ = peer.measure();
                double _ = ours.measure();
            }
            int rounds = row.text("once").isEmpty() ? runs : 1;
            for (int round = 1; round <= rounds; round++) {
                measure(row, round, ours, peer);
            }
        }
    }

    private void measure(CsvRow row, int round, Meter ours, @Nullable Meter peer) throws IOException {
        OtherPrograms others = new OtherPrograms();
        double peerFigure = peer == null ? Double.NaN : peer.measure();
        double ourFigure = ours.measure();
        write(
                Comparison.FILE,
                Comparison.plain(
                                "Compared with bare programs",
                                row.text("measure"),
                                row.text("unit"),
                                "",
                                row.text("peer"),
                                row.text("goal"))
                        .round(round, ourFigure, peerFigure, others.percent()));
        log().printf(Locale.ROOT, "%s: %.3f, %s %.3f%n", row.text("measure"), ourFigure, row.text("peer"), peerFigure);
    }
}
