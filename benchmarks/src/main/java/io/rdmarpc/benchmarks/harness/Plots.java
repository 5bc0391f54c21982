package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Circumstances;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * Plots of {@code measurements.csv}: latency percentiles, rate by calls outstanding, and CPU time per call. Values are
 * medians over the rounds, of the matrix if there is one. Each line stands for one peer and one kind of callers.
 */
final class Plots {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 600;
    private static final double MOST_PERCENTILE = 99.99;
    private static final int MANY = 128;

    private final List<CsvRow> measurements;
    private final Path directory;

    Plots(List<CsvRow> measurements, Path directory) {
        Map<String, List<CsvRow>> parts = measurements.stream().collect(Collectors.groupingBy(row -> row.text("part")));
        this.measurements = parts.getOrDefault("matrix", measurements);
        this.directory = directory;
    }

    void write() throws IOException {
        for (Payload payload : Payload.values()) {
            latencies(payload);
            rates(payload);
        }
        processorTime();
    }

    /** A line of a plot. */
    record Line(Peers peer, Callers callers) {

        @Override
        public String toString() {
            return callers == Callers.ASYNC ? peer.toString() : peer + ", " + callers;
        }
    }

    private Map<Line, List<CsvRow>> of(Payload payload, int outstanding) {
        return measurements.stream()
                .filter(row -> MeasurementsTable.circumstances(row) == Circumstances.QUIET
                        && MeasurementsTable.cell(row).payload() == payload
                        && MeasurementsTable.cell(row).outstanding() == outstanding)
                .collect(Collectors.groupingBy(
                        row -> new Line(
                                MeasurementsTable.peer(row),
                                MeasurementsTable.cell(row).callers()),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

    private void latencies(Payload payload) throws IOException {
        XYChart chart = chart("Latency, " + payload + ", one call outstanding", "1 / (1 - quantile)", "microseconds");
        of(payload, 1).forEach((line, rows) -> {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (Double percentile : BenchmarkOutcome.PERCENTILES) {
                if (percentile <= MOST_PERCENTILE) {
                    x.add(1 / (1 - percentile / 100));
                    y.add(median(rows, row -> row.number("p" + percentile + "_us")));
                }
            }
            chart.addSeries(line.toString(), x, y);
        });
        save(chart, "latency-" + payload.name());
    }

    /**
     * Draws rates by calls outstanding. The line of virtual threads begins with the point of a single platform thread.
     */
    Map<Line, SortedMap<Integer, Double>> rateLines(Payload payload) {
        Map<Line, SortedMap<Integer, Double>> rates = new LinkedHashMap<>();
        for (int outstanding : new int[] {1, 16, MANY}) {
            of(payload, outstanding).forEach((line, rows) -> {
                double rate = median(rows, Metric.RATE::of);
                point(rates, line, outstanding, rate);
                if (outstanding == 1 && line.callers == Callers.PLATFORM) {
                    point(rates, new Line(line.peer, Callers.VIRTUAL), outstanding, rate);
                }
            });
        }
        rates.values().removeIf(each -> each.size() < 2);
        return rates;
    }

    private static void point(Map<Line, SortedMap<Integer, Double>> rates, Line line, int outstanding, double rate) {
        rates.computeIfAbsent(line, each -> new TreeMap<>()).put(outstanding, rate);
    }

    private void rates(Payload payload) throws IOException {
        XYChart chart = chart("Rate, " + payload, "calls outstanding", "calls per second");
        rateLines(payload)
                .forEach((line, rates) ->
                        chart.addSeries(line.toString(), List.copyOf(rates.keySet()), List.copyOf(rates.values())));
        save(chart, "rate-" + payload.name());
    }

    private void processorTime() throws IOException {
        List<Map.Entry<Line, Double>> bars = of(Payload.ORDER, MANY).entrySet().stream()
                .map(each -> Map.entry(each.getKey(), median(each.getValue(), Metric.CPU::of)))
                .sorted(Comparator.comparingDouble(Map.Entry::getValue))
                .toList();
        if (bars.isEmpty()) {
            return;
        }
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("CPU time of both processes, order, 128 outstanding")
                .yAxisTitle("microseconds per call")
                .build();
        chart.getStyler().setXAxisLabelRotation(45).setLegendVisible(false);
        chart.addSeries(
                "CPU",
                bars.stream().map(each -> each.getKey().toString()).toList(),
                bars.stream().map(Map.Entry::getValue).toList());
        ChartEncoder.saveChart(chart, directory.resolve("cpu-ORDER").toString(), "png");
    }

    private static double median(List<CsvRow> rows, ToDoubleFunction<CsvRow> value) {
        return Median.of(rows.stream().mapToDouble(value).toArray());
    }

    /** Creates a plot whose axes are both logarithmic. */
    static XYChart chart(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler()
                .setXAxisLogarithmic(true)
                .setYAxisLogarithmic(true)
                .setLegendPosition(LegendPosition.OutsideE);
        return chart;
    }

    private void save(XYChart chart, String name) throws IOException {
        if (!chart.getSeriesCollection().isEmpty()) {
            ChartEncoder.saveChart(chart, directory.resolve(name).toString(), "png");
        }
    }
}
