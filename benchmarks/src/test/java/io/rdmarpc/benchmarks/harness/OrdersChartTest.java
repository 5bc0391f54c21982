package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrdersChartTest {

    @TempDir
    private Path directory;

    private static CsvRow row(String peer, String measure, int round, double ours, double theirs) {
        return new Comparison("Results", peer, measure, "-", "-", "ours", peer, "-").round(round, ours, theirs, 0);
    }

    private static List<CsvRow> results() {
        return List.of(
                row("gRPC", "order, 1 caller, p50", 1, 2, 100),
                row("gRPC", "order, 1 caller, p50", 2, 4, 200),
                row("Spring HTTP", "order, 1 caller, p50", 1, 2, 300),
                row("gRPC", "orders, 16 callers, rate", 1, 287_345, 15_100));
    }

    @Test
    void shouldShowMediansOfOursAndOfThePeers() {
        assertThat(new OrdersChart(results()).bars("order, 1 caller, p50"))
                .containsExactly(Map.entry("rdma-rpc", 3.0), Map.entry("gRPC", 150.0), Map.entry("Spring HTTP", 300.0));
    }

    @Test
    void shouldUseALogarithmicScale() {
        List<Double> all = List.of(2.0, 20.0, 200.0);

        int step = OrdersChart.length(20, all) - OrdersChart.length(2, all);

        assertThat(OrdersChart.length(200, all) - OrdersChart.length(20, all)).isBetween(step - 1, step + 1);
    }

    @Test
    void shouldWriteValuesWithTheirUnits() throws IOException {
        new OrdersChart(results()).write(directory);

        assertThat(directory.resolve("orders.svg"))
                .content()
                .contains("3.0 µs", "150 µs", "290,000", "15,000", "prefers-color-scheme: dark")
                .endsWith("</svg>\n");
    }

    @Test
    void whenTheResultsHaveOtherFiguresThenThereIsNoChart() throws IOException {
        new OrdersChart(List.of(row("x", "another measure", 1, 1, 1))).write(directory);

        assertThat(directory).isEmptyDirectory();
    }
}
