package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Libraries;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures calls for the goals of {@code goals.csv}, or for the effects of the settings in {@code settings.csv}. */
@Command(
        description = "measures calls of this project and of its peers between two processes",
        mixinStandardHelpOptions = true)
final class CallsCommand extends MeasuringCommand {

    private static final String GOALS = "goals.csv";

    private final String file;

    @Option(
            names = "--rounds",
            description = "number of rounds, each of which measures every peer once (default ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--seconds", description = "length of a measurement in seconds (default ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--warm-up",
            description = "maximum warm-up in seconds for the first kind of call of each pair of processes, a quarter"
                    + " for others; it ends when calls get no faster and the JIT compilers are idle"
                    + " (default ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--only",
            description = "regular expression for goals, whose whole number must match, or settings, part of whose"
                    + " name must match")
    private Pattern only = Pattern.compile(".*");

    @Option(
            names = "--matrix",
            description = "rounds for every payload and concurrency with every peer, for tables and plots (default"
                    + " ${DEFAULT-VALUE})")
    private int matrixRounds;

    @Option(
            names = "--jvm-flag",
            description = "additional flag of all measured processes, such as -XX:+UseZGC; may be repeated")
    private List<String> jvmFlags = List.of();

    CallsCommand(String file, int rounds, double seconds, double warmUp) {
        this.file = file;
        this.rounds = rounds;
        this.seconds = seconds;
        this.warmUp = warmUp;
    }

    CallsCommand only(String ids) {
        only = Pattern.compile(ids);
        return this;
    }

    CallsCommand matrix(int roundsByDefault) {
        matrixRounds = roundsByDefault;
        return this;
    }

    /** Returns the rows of {@code programs.csv} by name. */
    static Map<String, CsvRow> programs() throws IOException {
        Map<String, CsvRow> programs = new LinkedHashMap<>();
        CsvRow.resource(Harness.class, "programs.csv").forEach(row -> programs.put(row.text("name"), row));
        return programs;
    }

    /** A row of goals or settings. Rows of one group are measured in the same rounds. */
    record Line(String group, Comparison comparison, Figure ours, Figure peer) {

        static Line of(CsvRow row, Map<String, CsvRow> programs) {
            Figure ours = Figure.of(row.text("ours"), row.text("minus"), row.text("metric"));
            Figure peer = Figure.of(row.text("peer"), "", row.text("peer_metric"));
            return new Line(
                    row.text("group"),
                    new Comparison(
                            "Results",
                            row.text("id"),
                            row.text("measure"),
                            ours.mode(programs),
                            ours.unit(programs),
                            ours.label(programs),
                            peer.label(programs),
                            row.text("goal")),
                    ours,
                    peer);
        }

        CsvRow round(RoundResults results, int round) {
            return comparison.round(
                    round, ours.value(results, round), peer.value(results, round), results.others(needs(), round));
        }

        Stream<Need> needs() {
            return Stream.concat(ours.all(), peer.all()).flatMap(Need::withPace);
        }
    }

    static List<Line> lines(String file) throws IOException {
        Map<String, CsvRow> programs = programs();
        return CsvRow.resource(Harness.class, file).stream()
                .map(row -> Line.of(row, programs))
                .toList();
    }

    private boolean isWanted(Line line) {
        Matcher matcher = only.matcher(line.comparison.id());
        return file.equals(GOALS) ? matcher.matches() : matcher.find();
    }

    @Override
    void measure() throws IOException {
        describe(
                "Rounds",
                rounds + ", of " + seconds + " s each, in new processes, warmed up until calls get no faster, for at"
                        + " most " + warmUp + " s");
        describe(
                "JVM flags of all measured processes",
                "`" + String.join(" ", Pair.flags(), String.join(" ", jvmFlags)).strip() + "`");
        describe("Libraries", Libraries.text());
        RoundResults results = new RoundResults();
        Runner runner = runner("goals", results);
        Map<String, List<Line>> groups = lines(file).stream()
                .filter(this::isWanted)
                .collect(Collectors.groupingBy(Line::group, LinkedHashMap::new, Collectors.toList()));
        for (List<Line> group : groups.values()) {
            runner.measure(group.stream().flatMap(Line::needs).distinct().toList(), rounds);
            for (Line line : group) {
                write(line, results);
            }
        }
        if (file.equals(GOALS)) {
            measureMachine(runner, results);
        }
        runner("matrix", new RoundResults()).measure(matrix(), matrixRounds);
    }

    private Runner runner(String part, RoundResults results) throws IOException {
        return new Runner(this, part, results, new Runner.Setup(warmUp, seconds, jvmFlags));
    }

    private void write(Line line, RoundResults results) throws IOException {
        for (int round = 1; round <= rounds; round++) {
            write(Comparison.FILE, line.round(results, round));
        }
    }

    /** Measures the programs that show the limits of the machine, except those that a goal has already measured. */
    private void measureMachine(Runner runner, RoundResults results) throws IOException {
        for (CsvRow program : programs().values()) {
            if (!program.text("machine").isEmpty()) {
                Figure figure = Figure.of("@" + program.text("name"), "", "");
                List<Need> missing =
                        figure.all().filter(need -> !results.has(need)).toList();
                runner.measure(missing, rounds);
                Comparison probe = Comparison.plain(
                        "What the machine allows",
                        program.text("label"),
                        program.text("unit"),
                        "",
                        Comparison.NONE,
                        Comparison.NONE);
                write(new Line("", probe, figure, Figure.of("", "", "")), results);
            }
        }
    }

    /**
     * Returns a need for every payload with 1, 16 and 128 calls outstanding and every peer that supports the payload.
     */
    static List<Need> matrix() throws IOException {
        List<Need> needs = new ArrayList<>();
        for (CsvRow row : CsvRow.resource(Harness.class, "matrix.csv")) {
            for (String payload : row.words("payloads")) {
                for (String outstanding : row.words("outstanding")) {
                    row.words("peers").stream()
                            .map(peer -> new Need(String.join(" ", peer, payload, row.text("callers"), outstanding)))
                            .filter(need -> need.peer().carries(need.cell().payload()))
                            .forEach(needs::add);
                }
            }
        }
        return needs;
    }
}
