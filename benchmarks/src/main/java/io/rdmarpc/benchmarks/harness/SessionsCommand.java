package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.OtherPrograms;
import io.rdmarpc.benchmarks.sessions.SessionsRun;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures a server with few sessions and with many, alternating. */
@Command(
        description = "measures the cost of many sessions for one polling thread, compared with few",
        mixinStandardHelpOptions = true)
final class SessionsCommand extends MeasuringCommand {

    /** Name of the file that has a line for each run of each number of sessions. */
    static final String FILE = "sessions.csv";

    @Option(names = "--few", description = "number of sessions to compare with (default ${DEFAULT-VALUE})")
    private int few = 10;

    @Option(names = "--many", description = "number of sessions (default ${DEFAULT-VALUE})")
    private int many = 10_000;

    @Option(
            names = "--clients",
            description = "number of client processes, which share the sessions (default ${DEFAULT-VALUE})")
    private int clients = 2;

    @Option(
            names = "--mtu",
            description =
                    "path MTU in bytes, which is also the size of a receive ring entry (default ${DEFAULT-VALUE})")
    private int mtuBytes = 2048;

    @Option(names = "--outstanding", description = "number of calls outstanding (default ${DEFAULT-VALUE})")
    private int outstanding = 128;

    @Option(names = "--runs", description = "number of measurements of each (default ${DEFAULT-VALUE})")
    private int runs = 3;

    @Option(
            names = "--seconds",
            description = "length of a measurement in seconds, after a warm-up of the same length (default"
                    + " ${DEFAULT-VALUE})")
    private double seconds = 3;

    @Override
    void check() {
        if (clients < 1 || clients > Math.min(few, outstanding)) {
            throw reject("--clients is " + clients + ": it must be at least 1, and each client needs a session of"
                    + " --few " + few + " and a call of --outstanding " + outstanding);
        }
    }

    @Override
    void measure() throws IOException {
        describe(
                "Runs",
                runs + " of " + seconds + " s each, a server process with one polling thread and " + clients
                        + " client processes, path MTU " + mtuBytes + " bytes, " + outstanding + " calls outstanding");
        SessionsRun run = new SessionsRun(clients, mtuBytes, outstanding, seconds);
        for (int round = 1; round <= runs; round++) {
            OtherPrograms others = new OtherPrograms();
            Map<String, Double> ofFew = measure(run, few);
            Map<String, Double> ofMany = measure(run, many);
            double othersPercent = others.percent();
            write(FILE, row(few, round, ofFew, othersPercent));
            write(FILE, row(many, round, ofMany, othersPercent));
            for (CsvRow row : CsvRow.resource(Harness.class, "sessions.csv")) {
                Comparison comparison = Comparison.plain(
                        "Sessions of one polling thread",
                        row.text("measure"),
                        row.text("unit"),
                        label(many),
                        label(few),
                        row.text("goal"));
                String name = row.text("name");
                write(
                        Comparison.FILE,
                        comparison.round(
                                round,
                                ofMany.getOrDefault(name, Double.NaN),
                                ofFew.getOrDefault(name, Double.NaN),
                                othersPercent));
            }
        }
    }

    private static CsvRow row(int sessions, int run, Map<String, Double> figures, double othersPercent) {
        List<Object> cells = new ArrayList<>(List.of("sessions", sessions, "run", run));
        for (String name : SessionsRun.FIGURES) {
            cells.add(name);
            cells.add(figures.getOrDefault(name, Double.NaN));
        }
        cells.add(Comparison.OTHERS);
        cells.add(othersPercent);
        return CsvRow.of(cells.toArray());
    }

    private static String label(int sessions) {
        return String.format(Locale.ROOT, "%,d sessions", sessions);
    }

    private Map<String, Double> measure(SessionsRun run, int sessions) throws IOException {
        Map<String, Double> figures = run.measure(sessions);
        log().printf(
                        Locale.ROOT,
                        "%s: %.0f sessions/s opened, %.0f calls/s%n",
                        label(sessions),
                        figures.getOrDefault("opened", Double.NaN),
                        figures.getOrDefault("calls", Double.NaN));
        return figures;
    }
}
