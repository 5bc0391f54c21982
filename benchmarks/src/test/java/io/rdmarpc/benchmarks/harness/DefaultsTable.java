package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;
import io.rdmarpc.benchmarks.table.Numbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The table of latency, rate and CPU time with default settings: medians of the rounds of one run. */
final class DefaultsTable {

    private static final Map<String, String> PEERS = peers();

    private final List<CsvRow> measurements;

    DefaultsTable(Path measurements) throws IOException {
        this.measurements = CsvRow.read(measurements);
    }

    private static Map<String, String> peers() {
        Map<String, String> peers = new LinkedHashMap<>();
        peers.put("SPRING_DEFAULTS", "rdma-rpc");
        peers.put("GRPC_BLOCKING", "gRPC");
        peers.put("HTTP_TUNED", "Spring HTTP");
        peers.put("AERON_IPC", "Aeron IPC, stock Kryo");
        return peers;
    }

    @Override
    public String toString() {
        String[] header = PEERS.values().toArray(new String[0]);
        MarkdownTable table = new MarkdownTable("median of the rounds", header[0], header[1], header[2], header[3]);
        for (int callers : new int[] {1, 16}) {
            String name = callers == 1 ? "1 caller, " : callers + " callers, ";
            if (callers > 1) {
                table.add(row(name + "orders per second", callers, DefaultsTable::rate));
            }
            table.add(row(name + "p50", callers, row -> row.number("p50.0_us")));
            table.add(row(name + "p99", callers, row -> row.number("p99.0_us")));
            table.add(row(name + "p99.9", callers, row -> row.number("p99.9_us")));
            table.add(row(name + "CPU time per order", callers, DefaultsTable::processorMicros));
        }
        return table.toString();
    }

    private String[] row(String name, int callers, ToDoubleFunction<CsvRow> value) {
        List<String> cells = new ArrayList<>(List.of(name));
        for (String peer : PEERS.keySet()) {
            double median = Median.of(measurements.stream()
                    .filter(row -> row.text("who").equals(peer) && row.number("outstanding") == callers)
                    .mapToDouble(value)
                    .toArray());
            cells.add(name.endsWith("second") ? Numbers.text(median) : time(median));
        }
        return cells.toArray(String[]::new);
    }

    private static double rate(CsvRow row) {
        return row.number("calls") / row.number("seconds");
    }

    /** Returns the CPU time of client and server for one call. */
    private static double processorMicros(CsvRow row) {
        return (row.number("client_cpu_s") + row.number("server_cpu_s")) * 1e6 / row.number("calls");
    }

    private static String time(double micros) {
        return micros < 1000 ? Numbers.text(micros) + " µs" : Numbers.text(micros / 1000) + " ms";
    }
}
