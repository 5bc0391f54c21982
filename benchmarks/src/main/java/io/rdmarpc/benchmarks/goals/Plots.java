package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.goals.Results.Sample;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
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
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * The plots: latency percentiles, rate by concurrency, processor time of a call. Medians over the rounds. A line is of one peer and
 * one kind of callers: threads that wait and calls that nobody waits for are not put together.
 */
final class Plots {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 600;
    private static final double MOST_PERCENTILE = 99.99;
    private static final int MANY = 128;

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

    /** A line of a plot. */
    record Line(Peers peer, Callers callers) {

        @Override
        public String toString() {
            return callers == Callers.ASYNC ? peer.toString() : peer + ", " + callers;
        }
    }

    private Map<Line, List<BenchmarkMeasurement>> of(Payload payload, int outstanding) {
        Map<Line, List<BenchmarkMeasurement>> measured = new LinkedHashMap<>();
        for (Sample sample : results.samples()) {
            Task task = sample.need().task();
            Cell cell = task.cell();
            if (task.circumstances() == Task.Circumstances.QUIET
                    && cell.payload() == payload
                    && cell.outstanding() == outstanding) {
                measured.computeIfAbsent(new Line(sample.need().peer(), cell.callers()), line -> new ArrayList<>())
                        .add(sample.measurement());
            }
        }
        return measured;
    }

    private void latencies(Payload payload) throws IOException {
        Map<Line, List<BenchmarkMeasurement>> measured = of(payload, 1);
        XYChart chart = chart("Latency, " + payload + ", one call outstanding", "1 / (1 - quantile)", "microseconds");
        measured.forEach((line, measurements) -> {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (Double percentile : BenchmarkOutcome.PERCENTILES) {
                if (percentile <= MOST_PERCENTILE) {
                    x.add(1 / (1 - percentile / 100));
                    y.add(median(measurements, each -> each.outcome().micros(percentile)));
                }
            }
            chart.addSeries(line.toString(), x, y);
        });
        save(chart, measured.isEmpty(), "latency-" + payload.name());
    }

    /** Rates by calls outstanding. A lone caller is a platform thread; the line of virtual threads begins with it, too. */
    Map<Line, SortedMap<Integer, Double>> rateLines(Payload payload) {
        Map<Line, SortedMap<Integer, Double>> rates = new LinkedHashMap<>();
        for (int outstanding : new int[] {1, 16, MANY}) {
            of(payload, outstanding).forEach((line, measurements) -> {
                double rate = median(measurements, Metric.RATE::of);
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
        Map<Line, SortedMap<Integer, Double>> rates = rateLines(payload);
        XYChart chart = chart("Rate, " + payload, "calls outstanding", "calls a second");
        rates.forEach((line, each) ->
                chart.addSeries(line.toString(), new ArrayList<>(each.keySet()), new ArrayList<>(each.values())));
        save(chart, rates.isEmpty(), "rate-" + payload.name());
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

    private static double median(
            List<BenchmarkMeasurement> measurements, ToDoubleFunction<BenchmarkMeasurement> value) {
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
