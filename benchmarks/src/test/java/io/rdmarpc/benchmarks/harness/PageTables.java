package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.harness.CallsCommand.Line;
import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;
import io.rdmarpc.benchmarks.table.Numbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The tables of {@code docs/explanation/performance.md}. {@code runs.csv} lists the runs: a letter, a file of results or
 * of measurements, the goals that the page shows of it, the machine and the settings.
 */
final class PageTables {

    private static final String RUN = "run";
    private static final String FILE = "file";

    private final Path lab;
    private final List<CsvRow> runs;

    PageTables(Path lab) throws IOException {
        this.lab = lab;
        runs = CsvRow.read(lab.resolve("runs.csv"));
    }

    /** A row of the first table. */
    private record Result(String run, String note, Comparison comparison, List<CsvRow> rounds) {

        private double[] column(String name) {
            return Numbers.present(
                    rounds.stream().mapToDouble(round -> round.number(name)).toArray());
        }

        private String letter() {
            return comparison.id().substring(0, 1);
        }

        private int number() {
            String digits = comparison.id().substring(1);
            return digits.isEmpty() ? 0 : Integer.parseInt(digits);
        }

        private String[] cells() {
            return new String[] {
                comparison.id(),
                shorter(comparison.measure()) + note,
                figure(comparison.ours(), Comparison.OURS),
                figure(comparison.peer(), Comparison.PEER),
                ratio(ResultsTable.ratios(rounds)),
                comparison.goal(),
                ResultsTable.verdict(comparison, rounds),
                Numbers.percent(Arrays.stream(column(Comparison.OTHERS)).max().orElse(Double.NaN)),
                run
            };
        }

        /** Returns the median, with the spread if there are several rounds. */
        private static String ratio(double... ratios) {
            return ratios.length == 1 ? Numbers.text(ratios[0]) : Numbers.spread(ratios, "");
        }

        private String figure(String label, String column) {
            String text = Numbers.text(Median.of(column(column)));
            if (label.equals(Comparison.NONE) || text.equals(Comparison.NONE)) {
                return label.equals(Comparison.NONE) ? label : shorter(label);
            }
            return shorter(label) + ": " + text + (comparison.unit().isEmpty() ? "" : " " + comparison.unit());
        }

        private static String shorter(String text) {
            return text.replaceFirst("the better of Aeron IPC, (.*) and Aeron UDP, .*", "Aeron IPC or UDP, $1")
                    .replace("by all threads of the ", "by the ")
                    .replace(", both sides together", ", both sides");
        }
    }

    /** Returns the table of goals, in the order of their numbers. */
    String results() throws IOException {
        List<Result> all = new ArrayList<>();
        for (CsvRow run : runs) {
            all.addAll(results(run));
        }
        all.sort(Comparator.comparing(Result::letter).thenComparingInt(Result::number));
        MarkdownTable table = new MarkdownTable(
                "id", "what", "ours", "compared with", "ratio [least-most]", "goal", "met?", "others", RUN);
        all.forEach(result -> table.add(result.cells()));
        return table.toString();
    }

    private List<Result> results(CsvRow run) throws IOException {
        Set<String> wanted = new TreeSet<>(run.words("ids"));
        Map<Comparison, List<CsvRow>> rounds = new LinkedHashMap<>();
        for (CsvRow row : rows(run)) {
            Comparison comparison = Comparison.of(row);
            if (wanted.contains(comparison.id())) {
                rounds.computeIfAbsent(comparison, each -> new ArrayList<>()).add(row);
            }
        }
        return rounds.entrySet().stream()
                .map(each -> new Result(run.text(RUN), run.text("note"), each.getKey(), each.getValue()))
                .toList();
    }

    /** Returns lines in the form of {@code results.csv}. */
    private List<CsvRow> rows(CsvRow run) throws IOException {
        List<CsvRow> rows = CsvRow.read(lab.resolve(run.text(FILE)));
        if (run.text(FILE).startsWith("measurements")) {
            return scored(rows, Set.copyOf(run.words("ids")));
        }
        return rows.stream()
                .filter(row -> row.text(RUN).isEmpty() || row.text(RUN).equals(run.text(RUN)))
                .map(PageTables::named)
                .toList();
    }

    /** Returns a row of the command {@code defaults}, whose goals have the names of peers, with the name D. */
    private static CsvRow named(CsvRow row) {
        Map<String, String> cells = new LinkedHashMap<>(row.cells());
        cells.computeIfPresent("id", (_, id) -> id.matches("[A-Z]\\d+") || id.equals(Comparison.NONE) ? id : "D");
        return new CsvRow(cells);
    }

    /** Scores measurements by the goals of {@code goals.csv} that need no program. */
    private static List<CsvRow> scored(List<CsvRow> measurements, Set<String> ids) throws IOException {
        RoundResults results = new RoundResults();
        Set<Integer> rounds = new TreeSet<>();
        for (CsvRow row : measurements) {
            int round = (int) row.number("round");
            rounds.add(round);
            results.add(need(row), round, row);
        }
        List<CsvRow> scored = new ArrayList<>();
        for (Line line : CallsCommand.lines("goals.csv")) {
            if (ids.contains(line.comparison().id()) && line.needs().allMatch(results::has)) {
                rounds.forEach(round -> scored.add(line.round(results, round)));
            }
        }
        return scored;
    }

    private static Need need(CsvRow row) {
        String calls =
                String.join(" ", row.text("who"), row.text("payload"), row.text("callers"), row.text("outstanding"));
        String circumstances = row.text("circumstances");
        return new Need(circumstances.equals("QUIET") ? calls : calls + " " + circumstances);
    }

    /** Returns the table with default settings, of the run of goal D. */
    String defaults() throws IOException {
        CsvRow run = runs.stream()
                .filter(each -> each.words("ids").contains("D"))
                .findFirst()
                .orElseThrow();
        return new DefaultsTable(lab.resolve(run.text(FILE).replaceFirst("^results", "measurements"))).toString();
    }

    /** Returns the table of rates by threads. The last columns of a run without them have dashes. */
    String scale() throws IOException {
        MarkdownTable table = new MarkdownTable(
                "CPUs",
                "calls",
                "threads per side",
                "calls/s",
                "ratio to one thread",
                "p50 µs",
                "p99 µs",
                "CPU µs/call",
                "others",
                RUN);
        for (CsvRow run : runs) {
            if (run.text(FILE).startsWith("scale")) {
                List<CsvRow> rows = CsvRow.read(lab.resolve(run.text(FILE))).stream()
                        .filter(row -> run.words("ids").contains(row.text(ScaleTable.KIND)))
                        .toList();
                ScaleTable.medians(rows, ScaleTable.RATE)
                        .forEach((kind, byThreads) ->
                                byThreads.keySet().forEach(threads -> table.add(scaleCells(run, rows, kind, threads))));
            }
        }
        return table.toString();
    }

    private static String[] scaleCells(CsvRow run, List<CsvRow> rows, String kind, int threads) {
        List<CsvRow> same = rows.stream()
                .filter(row -> row.text(ScaleTable.KIND).equals(kind) && row.number(ScaleTable.THREADS) == threads)
                .toList();
        return new String[] {
            run.text("cpus"),
            "`" + kind + "`",
            Integer.toString(threads),
            median(same, ScaleTable.RATE),
            median(same, "ratio"),
            median(same, "p50.0_us"),
            median(same, "p99.0_us"),
            median(same, "cpu_us_per_call"),
            Numbers.percent(same.stream()
                    .mapToDouble(row -> row.number(Comparison.OTHERS))
                    .max()
                    .orElse(Double.NaN)),
            run.text(RUN)
        };
    }

    private static String median(List<CsvRow> rows, String column) {
        return Numbers.text(Median.of(Numbers.present(
                rows.stream().mapToDouble(row -> row.number(column)).toArray())));
    }

    /** Returns the list of runs. The first line of a run in the file describes it. */
    String runs() {
        return runs.stream()
                .filter(run -> !run.text("machine").isEmpty())
                .map(run -> "- **" + run.text(RUN) + "**: " + run.text("machine") + ", " + run.text("settings")
                        + " ([lab](../lab/" + run.text("link") + ")).\n")
                .collect(Collectors.joining());
    }
}
