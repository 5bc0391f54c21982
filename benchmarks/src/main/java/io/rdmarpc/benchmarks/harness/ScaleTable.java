package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.peer.ScaleKind;
import io.rdmarpc.benchmarks.scale.ScaleRun;
import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;
import io.rdmarpc.benchmarks.table.Numbers;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Table of {@code scale.csv}: medians over the runs, for each kind of calls and each number of threads. */
final class ScaleTable {

    /** Name of the file that has a line for each run of each kind with each number of threads. */
    static final String FILE = "scale.csv";

    static final String KIND = "kind";
    static final String THREADS = "threads";
    static final String RATE = "rate";
    private static final String RATIO = "ratio";
    private static final String CPU_PER_CALL = "cpu_us_per_call";

    private final List<CsvRow> measurements;

    ScaleTable(List<CsvRow> measurements) {
        this.measurements = measurements;
    }

    /** Creates the line of a run. The ratio is to the rate of one thread, or NaN if that was not measured. */
    static CsvRow row(ScaleKind kind, int threads, int run, ScaleRun.Result result, double ratio) {
        BenchmarkOutcome outcome = result.measurement().outcome();
        BenchmarkCounters client = result.measurement().client();
        BenchmarkCounters server = result.measurement().server();
        return CsvRow.of(
                KIND,
                kind,
                THREADS,
                threads,
                "run",
                run,
                "calls",
                outcome.calls(),
                "seconds",
                outcome.seconds(),
                RATE,
                outcome.perSecond(),
                RATIO,
                ratio,
                "p50.0_us",
                outcome.micros(50),
                "p99.0_us",
                outcome.micros(99),
                "p99.9_us",
                outcome.micros(99.9),
                "client_cpu_s",
                client.cpuNanos() / 1e9,
                "server_cpu_s",
                server.cpuNanos() / 1e9,
                CPU_PER_CALL,
                result.measurement().cpuSecondsPerMillion(),
                "client_gc_ms",
                client.collectorMillis(),
                "server_gc_ms",
                server.collectorMillis(),
                "client_compilers_ms",
                client.compilerMillis(),
                "server_compilers_ms",
                server.compilerMillis(),
                "warm",
                result.warm(),
                Comparison.OTHERS,
                result.othersPercent());
    }

    /** Returns medians over the runs, by kind and number of threads in the order of the file. */
    static Map<String, Map<Integer, Double>> medians(List<CsvRow> measurements, String column) {
        Map<String, Map<Integer, Double>> medians = new LinkedHashMap<>();
        groups(measurements)
                .forEach((kind, byThreads) -> byThreads.forEach((threads, rows) -> medians.computeIfAbsent(
                                kind, each -> new LinkedHashMap<>())
                        .put(threads, median(rows, row -> row.number(column)))));
        return medians;
    }

    private static Map<String, Map<Integer, List<CsvRow>>> groups(List<CsvRow> measurements) {
        return measurements.stream()
                .collect(Collectors.groupingBy(
                        row -> row.text(KIND),
                        LinkedHashMap::new,
                        Collectors.groupingBy(
                                row -> (int) row.number(THREADS), LinkedHashMap::new, Collectors.toList())));
    }

    private static double median(List<CsvRow> rows, ToDoubleFunction<CsvRow> value) {
        return Median.of(Numbers.present(rows.stream().mapToDouble(value).toArray()));
    }

    @Override
    public String toString() {
        if (measurements.isEmpty()) {
            return "";
        }
        MarkdownTable table = new MarkdownTable(
                "kind",
                "N",
                "calls/s, median [least-most]",
                "ratio to one thread",
                "p50 µs",
                "p99 µs",
                "p99.9 µs",
                "client CPU s",
                "server CPU s",
                "CPU µs/call",
                "GC ms",
                "compilers %",
                "others",
                "runs");
        groups(measurements)
                .forEach((kind, byThreads) ->
                        byThreads.forEach((threads, rows) -> table.add(cells(kind, threads, rows))));
        return "\n## Calls per second by the number of threads\n\nN threads per side, medians over the runs.\n\n"
                + table + descriptions();
    }

    private static String[] cells(String kind, int threads, List<CsvRow> rows) {
        return new String[] {
            kind,
            Integer.toString(threads),
            Numbers.spread(column(rows, RATE), ""),
            text(rows, row -> row.number(RATIO)),
            text(rows, Metric.P50::of),
            text(rows, Metric.P99::of),
            text(rows, Metric.P99_9::of),
            text(rows, row -> row.number("client_cpu_s")),
            text(rows, row -> row.number("server_cpu_s")),
            text(rows, row -> row.number(CPU_PER_CALL)),
            text(rows, Metric.COLLECTORS::of),
            text(rows, Metric.COMPILERS::of),
            Numbers.percent(Arrays.stream(column(rows, Comparison.OTHERS)).max().orElse(Double.NaN)),
            Integer.toString(rows.size())
        };
    }

    private static double[] column(List<CsvRow> rows, String name) {
        return Numbers.present(
                rows.stream().mapToDouble(row -> row.number(name)).toArray());
    }

    private static String text(List<CsvRow> rows, ToDoubleFunction<CsvRow> value) {
        return Numbers.text(median(rows, value));
    }

    private String descriptions() {
        return Arrays.stream(ScaleKind.values())
                .filter(kind -> groups(measurements).containsKey(kind.toString()))
                .map(kind -> "- `" + kind + "`: " + kind.description() + ".\n")
                .collect(Collectors.joining("", "\n", ""));
    }
}
