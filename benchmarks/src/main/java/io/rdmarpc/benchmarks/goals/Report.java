package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.goals.Results.Sample;
import io.rdmarpc.benchmarks.load.Measurement;
import io.rdmarpc.benchmarks.load.Outcome;
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
    private final List<Goal> goals;
    private final String environment;

    Report(Results results, List<Goal> goals, String environment) {
        this.results = results;
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
                + "\n## Everything that was measured\n\nMedians over the rounds.\n\n" + medians();
    }

    private String scored() {
        StringBuilder text = new StringBuilder(Goal.HEADER).append('\n');
        goals.forEach(goal -> text.append(goal.row(results)).append('\n'));
        return text.toString();
    }

    private String medians() {
        Map<Need.Calls, List<Measurement>> rounds = new LinkedHashMap<>();
        for (Sample sample : results.samples()) {
            rounds.computeIfAbsent(sample.need(), need -> new ArrayList<>()).add(sample.measurement());
        }
        StringBuilder text = new StringBuilder("| who | calls | a second | p50 us | p99 us | p99.9 us |"
                + " CPU s/M | B/call client | B/call server | rounds |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        rounds.forEach((need, measurements) -> text.append(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %d |%n",
                need.peer(),
                need.task(),
                median(measurements, Metric.RATE),
                median(measurements, Metric.P50),
                median(measurements, Metric.P99),
                median(measurements, Metric.P99_9),
                median(measurements, Metric.CPU),
                median(measurements, Metric.CLIENT_BYTES),
                median(measurements, Metric.SERVER_BYTES),
                measurements.size())));
        return text.toString();
    }

    private static String median(List<Measurement> measurements, Metric metric) {
        return Numbers.text(
                Median.of(measurements.stream().mapToDouble(metric::of).toArray()));
    }

    private String csv() {
        StringBuilder text = new StringBuilder("round,who,payload,callers,outstanding,circumstances,calls,seconds,"
                + "client_cpu_s,server_cpu_s,client_bytes,server_bytes,client_gc_ms,server_gc_ms,others_percent");
        for (Double percentile : Outcome.PERCENTILES) {
            text.append(",p").append(percentile).append("_us");
        }
        text.append('\n');
        results.samples().forEach(sample -> text.append(line(sample)).append('\n'));
        return text.toString();
    }

    private static String line(Sample sample) {
        Task task = sample.need().task();
        Measurement measured = sample.measurement();
        Peers peer = sample.need().peer();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%d,%s,%s,%s,%d,%s,%d,%.6f,%.6f,%.6f,%d,%d,%d,%d,%.1f",
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
                sample.othersPercent()));
        for (Double percentile : Outcome.PERCENTILES) {
            line.append(String.format(Locale.ROOT, ",%.3f", measured.outcome().micros(percentile)));
        }
        return line.toString();
    }
}
