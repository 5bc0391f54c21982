package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Circumstances;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;
import io.rdmarpc.benchmarks.table.Numbers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Tables of {@code measurements.csv}: medians over the rounds, for the calls of the goals and for those of the matrix.
 */
final class MeasurementsTable {

    /** Name of the file whose lines are measurements of calls. */
    static final String FILE = "measurements.csv";

    private static final List<String> KEY = List.of("who", "payload", "callers", "outstanding", "circumstances");
    private static final List<Metric> METRICS = List.of(
            Metric.RATE,
            Metric.P50,
            Metric.P99,
            Metric.P99_9,
            Metric.CPU,
            Metric.CLIENT_BYTES,
            Metric.SERVER_BYTES,
            Metric.COLLECTORS,
            Metric.COMPILERS);

    private final List<CsvRow> measurements;

    MeasurementsTable(List<CsvRow> measurements) {
        this.measurements = measurements;
    }

    static CsvRow row(String part, int round, Need need, BenchmarkMeasurement measured, double othersPercent) {
        Map<String, String> cells = new LinkedHashMap<>(CsvRow.of(
                        "part",
                        part,
                        "round",
                        round,
                        "who",
                        need.peer().name(),
                        "payload",
                        need.cell().payload().name(),
                        "callers",
                        need.cell().callers().name(),
                        "outstanding",
                        need.cell().outstanding(),
                        "circumstances",
                        need.circumstances().name(),
                        "calls",
                        measured.outcome().calls(),
                        "seconds",
                        measured.outcome().seconds(),
                        "client_cpu_s",
                        measured.client().cpuNanos() / 1e9,
                        "server_cpu_s",
                        measured.server().cpuNanos() / 1e9,
                        "client_bytes",
                        measured.client().allocatedBytes(),
                        "server_bytes",
                        measured.server().allocatedBytes(),
                        "client_gc_ms",
                        measured.client().collectorMillis(),
                        "server_gc_ms",
                        measured.server().collectorMillis(),
                        "client_compilers_ms",
                        measured.client().compilerMillis(),
                        "server_compilers_ms",
                        measured.server().compilerMillis(),
                        Comparison.OTHERS,
                        othersPercent)
                .cells());
        for (Double percentile : BenchmarkOutcome.PERCENTILES) {
            cells.put(
                    "p" + percentile + "_us",
                    String.format(Locale.ROOT, "%.3f", measured.outcome().micros(percentile)));
        }
        return new CsvRow(cells);
    }

    static Peers peer(CsvRow row) {
        return Peers.valueOf(row.text("who"));
    }

    static Cell cell(CsvRow row) {
        return Cell.of(Payload.valueOf(row.text("payload")), Callers.valueOf(row.text("callers")), (int)
                row.number("outstanding"));
    }

    static Circumstances circumstances(CsvRow row) {
        return Circumstances.valueOf(row.text("circumstances"));
    }

    @Override
    public String toString() {
        return section("goals", "Measurements behind the goals") + section("matrix", "Every payload with every peer");
    }

    private String section(String part, String title) {
        Map<List<String>, List<CsvRow>> rounds = measurements.stream()
                .filter(row -> row.text("part").equals(part))
                .collect(Collectors.groupingBy(
                        row -> KEY.stream().map(row::text).toList(), LinkedHashMap::new, Collectors.toList()));
        MarkdownTable table = new MarkdownTable(
                "peer",
                "API; dispatch; polling thread",
                "calls",
                "calls/s",
                "p50 µs",
                "p99 µs",
                "p99.9 µs",
                "CPU s/M",
                "B/call client",
                "B/call server",
                "GC ms",
                "compilers %",
                "rounds");
        rounds.values().forEach(rows -> table.add(cells(rows)));
        return rounds.isEmpty() ? "" : "\n## " + title + "\n\nMedians over the rounds.\n\n" + table;
    }

    private static String[] cells(List<CsvRow> rows) {
        Peers peer = peer(rows.getFirst());
        Cell cell = cell(rows.getFirst());
        String[] cells = new String[METRICS.size() + 4];
        cells[0] = peer.toString();
        cells[1] = peer.mode(cell.payload(), cell.callers()).toString();
        cells[2] = cell.toString() + circumstances(rows.getFirst());
        for (int i = 0; i < METRICS.size(); i++) {
            cells[i + 3] = Numbers.text(
                    Median.of(rows.stream().mapToDouble(METRICS.get(i)::of).toArray()));
        }
        cells[cells.length - 1] = Integer.toString(rows.size());
        return cells;
    }
}
