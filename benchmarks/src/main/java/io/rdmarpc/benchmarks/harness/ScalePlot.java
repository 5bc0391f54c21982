package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Plot of {@code scale.csv}: calls per second by the number of threads. Each line stands for one kind of calls. Both
 * axes are logarithmic, so each line that is parallel to the ideal line stands for ideal growth.
 */
final class ScalePlot {

    private static final float[] DASHES = {10, 8};

    private final Map<String, Map<Integer, Double>> rates;
    private final Path directory;

    ScalePlot(List<CsvRow> measurements, Path directory) {
        this.rates = ScaleTable.medians(measurements, ScaleTable.RATE);
        this.directory = directory;
    }

    void write() throws IOException {
        if (rates.isEmpty()) {
            return;
        }
        XYChart chart = Plots.chart("Calls per second by threads", "threads per side", "calls per second");
        chart.getStyler().setXAxisLogarithmicDecadeOnly(false);
        rates.forEach((kind, line) -> add(chart, kind, line));
        ideals().forEach((name, line) -> add(chart, name, line)
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(Color.GRAY)
                .setLineStyle(new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, DASHES, 0)));
        ChartEncoder.saveChart(chart, directory.resolve("scale").toString(), "png");
    }

    private static XYSeries add(XYChart chart, String name, Map<Integer, Double> line) {
        return chart.addSeries(name, List.copyOf(line.keySet()), List.copyOf(line.values()));
    }

    /**
     * Returns the ideal line, which is N times the rate of one thread of the first kind that was measured with one.
     * Returns no line if there is no such kind.
     */
    Map<String, Map<Integer, Double>> ideals() {
        Map<String, Map<Integer, Double>> ideals = new LinkedHashMap<>();
        rates.entrySet().stream()
                .filter(each -> each.getValue().containsKey(1))
                .findFirst()
                .ifPresent(each -> {
                    double one = each.getValue().getOrDefault(1, Double.NaN);
                    Map<Integer, Double> line = new LinkedHashMap<>();
                    each.getValue().keySet().forEach(threads -> line.put(threads, threads * one));
                    ideals.put("ideal: N times " + each.getKey() + " of one", line);
                });
        return ideals;
    }
}
