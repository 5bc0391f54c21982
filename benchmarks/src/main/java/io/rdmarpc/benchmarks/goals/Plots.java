package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.goals.Results.Sample;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Measurement;
import io.rdmarpc.benchmarks.load.Outcome;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** The plots: latency percentiles, rate by concurrency, processor time of a call. Medians over the rounds. */
final class Plots {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 600;
    private static final double MOST_PERCENTILE = 99.99;

    private final Results results;
    private final Path directory;

    Plots(Results results, Path directory) {
        this.results = results;
        this.directory = directory;
    }

    void write() throws IOException {
        for (Payload payload : Payload.values()) {
            latencies(payload);
            rates(payload);
        }
        processorTime();
    }

    private Map<Peers, List<Measurement>> of(Predicate<Cell> cells) {
        Map<Peers, List<Measurement>> measured = new EnumMap<>(Peers.class);
        for (Sample sample : results.samples()) {
            Task task = sample.need().task();
            if (task.circumstances() == Task.Circumstances.QUIET && cells.test(task.cell())) {
                measured.computeIfAbsent(sample.need().peer(), peer -> new ArrayList<>())
                        .add(sample.measurement());
            }
        }
        return measured;
    }

    private void latencies(Payload payload) throws IOException {
        Map<Peers, List<Measurement>> measured = of(cell -> cell.payload() == payload && cell.outstanding() == 1);
        XYChart chart = chart("Latency, " + payload + ", one call outstanding", "1 / (1 - quantile)", "microseconds");
        measured.forEach((peer, measurements) -> {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (Double percentile : Outcome.PERCENTILES) {
                if (percentile <= MOST_PERCENTILE) {
                    x.add(1 / (1 - percentile / 100));
                    y.add(median(measurements, each -> each.outcome().micros(percentile)));
                }
            }
            chart.addSeries(peer.toString(), x, y);
        });
        save(chart, measured.isEmpty(), "latency-" + payload.name());
    }

    private void rates(Payload payload) throws IOException {
        Map<Peers, TreeMap<Integer, Double>> rates = new EnumMap<>(Peers.class);
        for (int outstanding : new int[] {1, 16, 128}) {
            of(cell -> cell.payload() == payload && cell.outstanding() == outstanding)
                    .forEach((peer, measurements) -> rates.computeIfAbsent(peer, each -> new TreeMap<>())
                            .put(outstanding, median(measurements, Metric.RATE::of)));
        }
        rates.values().removeIf(each -> each.size() < 2);
        XYChart chart = chart("Rate, " + payload, "calls outstanding", "calls a second");
        rates.forEach((peer, each) ->
                chart.addSeries(peer.toString(), new ArrayList<>(each.keySet()), new ArrayList<>(each.values())));
        save(chart, rates.isEmpty(), "rate-" + payload.name());
    }

    private void processorTime() throws IOException {
        Map<Peers, List<Measurement>> measured =
                of(cell -> cell.payload() == Payload.ORDER && cell.outstanding() == 128);
        List<Map.Entry<Peers, Double>> bars = measured.entrySet().stream()
                .map(each -> Map.entry(each.getKey(), median(each.getValue(), Metric.CPU::of)))
                .sorted(Comparator.comparingDouble(Map.Entry::getValue))
                .toList();
        if (bars.isEmpty()) {
            return;
        }
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Processor time of both processes, order, 128 outstanding")
                .yAxisTitle("microseconds a call")
                .build();
        chart.getStyler().setXAxisLabelRotation(45);
        chart.getStyler().setLegendVisible(false);
        chart.addSeries(
                "CPU",
                bars.stream().map(each -> each.getKey().toString()).toList(),
                bars.stream().map(Map.Entry::getValue).toList());
        BitmapEncoder.saveBitmap(chart, directory.resolve("cpu-ORDER").toString(), BitmapFormat.PNG);
    }

    private static double median(List<Measurement> measurements, ToDoubleFunction<Measurement> value) {
        return Median.of(measurements.stream().mapToDouble(value).toArray());
    }

    private static XYChart chart(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        return chart;
    }

    private void save(XYChart chart, boolean empty, String name) throws IOException {
        if (!empty) {
            BitmapEncoder.saveBitmap(chart, directory.resolve(name).toString(), BitmapFormat.PNG);
        }
    }
}
