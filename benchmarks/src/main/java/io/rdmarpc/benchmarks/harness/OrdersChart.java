package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The chart of the README: latency and rate of typed orders with default settings, from the {@code results.csv} of the
 * command {@code defaults}. Values are medians over the rounds, on logarithmic scales. It is SVG, whose colors follow
 * the reader's choice of light or dark pages.
 */
final class OrdersChart {

    static final String FILE = "orders.svg";

    private static final String LATENCY = "order, 1 caller, p50";
    private static final String RATE = "orders, 16 callers, rate";
    private static final String OURS = "rdma-rpc";

    private static final int WIDTH = 900;
    private static final int PANEL = 440;
    private static final int NAMES = 150;
    private static final int ROW = 34;
    private static final int BAR = 20;
    private static final int TOP = 40;
    /** Length of the longest bar, which leaves space for its value. */
    private static final int LONGEST = 195;

    private static final String STYLE = """
            <style>
            text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
            .title { font-weight: 600 }
            .ours { fill: #0969da }
            .peer { fill: #afb8c1 }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3 }
              .ours { fill: #4493f8 }
              .peer { fill: #57606a }
            }
            </style>
            """;

    private final List<CsvRow> results;

    OrdersChart(List<CsvRow> results) {
        this.results = results;
    }

    /** Writes the chart if the results have its figures. */
    void write(Path directory) throws IOException {
        Map<String, Double> latencies = bars(LATENCY);
        Map<String, Double> rates = bars(RATE);
        if (!latencies.isEmpty() && !rates.isEmpty()) {
            Files.writeString(directory.resolve(FILE), svg(latencies, rates));
        }
    }

    private static String svg(Map<String, Double> latencies, Map<String, Double> rates) {
        int height = TOP + ROW * Math.max(latencies.size(), rates.size());
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
                <title>Typed orders with default settings</title>
                """.formatted(WIDTH, height, WIDTH, height)
                + STYLE
                + panel(0, "Median latency, 1 caller: lower is better (log scale)", latencies, OrdersChart::micros)
                + panel(
                        WIDTH - PANEL,
                        "Orders per second, 16 callers: higher is better (log scale)",
                        rates,
                        OrdersChart::count)
                + "</svg>\n";
    }

    /** Formats a value. */
    private interface Format {
        String text(double value);
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f µs" : "%.0f µs", value);
    }

    private static String count(double value) {
        // Two digits are significant, because rounds differ by some percent.
        double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(value)) - 1));
        return String.format(Locale.ROOT, "%,.0f", Math.round(value / unit) * unit);
    }

    private static String panel(int left, String title, Map<String, Double> bars, Format format) {
        StringBuilder text =
                new StringBuilder("<text class=\"title\" x=\"%d\" y=\"18\">%s</text>\n".formatted(left, title));
        int y = TOP;
        for (Map.Entry<String, Double> bar : bars.entrySet()) {
            int length = length(bar.getValue(), bars.values());
            text.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
                    .formatted(left + NAMES - 8, y + 15, bar.getKey()));
            text.append("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>%n"
                    .formatted(bar.getKey().equals(OURS) ? "ours" : "peer", left + NAMES, y, length, BAR));
            text.append("<text x=\"%d\" y=\"%d\">%s</text>%n"
                    .formatted(left + NAMES + length + 8, y + 15, format.text(bar.getValue())));
            y += ROW;
        }
        return text.toString();
    }

    /** Returns the length of a bar on a scale that begins at the power of ten below the least value. */
    static int length(double value, Collection<Double> all) {
        double base = Math.floor(Math.log10(Collections.min(all)));
        double most = Math.log10(Collections.max(all));
        return (int) Math.round(LONGEST * (Math.log10(value) - base) / (most - base));
    }

    /** Returns our figure and those of the peers in the order of the file. */
    Map<String, Double> bars(String measure) {
        Map<String, List<CsvRow>> byPeer = results.stream()
                .filter(row -> row.text("measure").equals(measure))
                .collect(Collectors.groupingBy(row -> row.text("id"), LinkedHashMap::new, Collectors.toList()));
        Map<String, Double> bars = new LinkedHashMap<>();
        byPeer.forEach((peer, rounds) -> {
            bars.putIfAbsent(OURS, median(rounds, Comparison.OURS));
            bars.put(peer, median(rounds, Comparison.PEER));
        });
        return bars;
    }

    private static double median(List<CsvRow> rounds, String column) {
        return Median.of(rounds.stream().mapToDouble(row -> row.number(column)).toArray());
    }
}
