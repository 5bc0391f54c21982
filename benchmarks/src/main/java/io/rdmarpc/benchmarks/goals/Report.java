package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.goals.Results.Sample;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.peer.Peers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes what was measured: the scored table and a table of medians in Markdown, every measurement as CSV. */
final class Report {

    private final Results results;
    private final Results matrix;
    private final List<Goal> goals;
    private final String environment;

    /**
     * Makes it.
     *
     * @param results what goals are scored by
     * @param matrix what is listed and scores nothing
     * @param goals the rows
     * @param environment where the numbers come from, in Markdown
     */
    Report(Results results, Results matrix, List<Goal> goals, String environment) {
        this.results = results;
        this.matrix = matrix;
        this.goals = goals;
        this.environment = environment;
    }

    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("report.md"), markdown());
        Files.writeString(directory.resolve("measurements.csv"), csv());
    }

    String markdown() {
        return "# Measured beside peers\n\n" + environment + "\n## Goals\n\n" + scored()
                + "\n## What the machine allows\n\n" + machine()
                + "\n## What the goals are scored by\n\nMedians over the rounds.\n\n" + medians(results)
                + (matrix.isEmpty()
                        ? ""
                        : "\n## Every payload with everyone\n\nMedians over the rounds.\n\n" + medians(matrix));
    }

    private String scored() {
        StringBuilder text = new StringBuilder(Goal.HEADER).append('\n');
        goals.forEach(goal -> text.append(goal.row(results)).append('\n'));
        return text.toString();
    }

    private String machine() {
        StringBuilder text = new StringBuilder("| probe | median [least-most] | others |\n|---|--:|--:|\n");
        for (Figure figure : Goals.machine()) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s |%n",
                    figure.label(),
                    figure.spread(results),
                    Numbers.percent(results.others(figure.needs()))));
        }
        return text.toString();
    }

    private static String medians(Results results) {
        Map<Need.Calls, List<BenchmarkMeasurement>> rounds = new LinkedHashMap<>();
        for (Sample sample : results.samples()) {
            rounds.computeIfAbsent(sample.need(), need -> new ArrayList<>()).add(sample.measurement());
        }
        StringBuilder text =
                new StringBuilder("| who | API; dispatch; who polls | calls | a second | p50 us | p99 us | p99.9 us |"
                        + " CPU s/M | B/call client | B/call server | GC ms | compilers | rounds |\n"
                        + "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        rounds.forEach((need, measurements) -> text.append(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s %% | %d |%n",
                need.peer(),
                need.mode(),
                need.task(),
                median(measurements, Metric.RATE),
                median(measurements, Metric.P50),
                median(measurements, Metric.P99),
                median(measurements, Metric.P99_9),
                median(measurements, Metric.CPU),
                median(measurements, Metric.CLIENT_BYTES),
                median(measurements, Metric.SERVER_BYTES),
                median(measurements, Metric.COLLECTORS),
                median(measurements, Metric.COMPILERS),
                measurements.size())));
        return text.toString();
    }

    private static String median(List<BenchmarkMeasurement> measurements, Metric metric) {
        return Numbers.text(
                Median.of(measurements.stream().mapToDouble(metric::of).toArray()));
    }

    private String csv() {
        StringBuilder text = new StringBuilder("part,round,who,payload,callers,outstanding,circumstances,calls,seconds,"
                + "client_cpu_s,server_cpu_s,client_bytes,server_bytes,client_gc_ms,server_gc_ms,"
                + "client_compilers_ms,server_compilers_ms,others_percent");
        for (Double percentile : BenchmarkOutcome.PERCENTILES) {
            text.append(",p").append(percentile).append("_us");
        }
        text.append('\n');
        results.samples()
                .forEach(sample -> text.append("goals,").append(line(sample)).append('\n'));
        matrix.samples()
                .forEach(sample -> text.append("matrix,").append(line(sample)).append('\n'));
        return text.toString();
    }

    private static String line(Sample sample) {
        Task task = sample.need().task();
        BenchmarkMeasurement measured = sample.measurement();
        Peers peer = sample.need().peer();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%d,%s,%s,%s,%d,%s,%d,%.6f,%.6f,%.6f,%d,%d,%d,%d,%d,%d,%.1f",
                sample.round() + 1,
                peer.name(),
                task.cell().payload().name(),
                task.cell().callers().name(),
                task.cell().outstanding(),
                task.circumstances().name(),
                measured.outcome().calls(),
                measured.outcome().seconds(),
                measured.client().cpuNanos() / 1e9,
                measured.server().cpuNanos() / 1e9,
                measured.client().allocatedBytes(),
                measured.server().allocatedBytes(),
                measured.client().collectorMillis(),
                measured.server().collectorMillis(),
                measured.client().compilerMillis(),
                measured.server().compilerMillis(),
                sample.othersPercent()));
        for (Double percentile : BenchmarkOutcome.PERCENTILES) {
            line.append(String.format(Locale.ROOT, ",%.3f", measured.outcome().micros(percentile)));
        }
        return line.toString();
    }
}
