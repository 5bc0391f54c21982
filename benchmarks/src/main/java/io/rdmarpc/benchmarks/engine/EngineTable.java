package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures every line some times, ours and the probe in turn, and prints a table in Markdown. */
@Command(
        name = "engine",
        description = "the RPC engine between two processes over shared memory, beside bare programs: a Markdown table",
        mixinStandardHelpOptions = true)
public final class EngineTable implements Callable<Integer> {

    /** One line: what is measured, beside what, and what is asked for; the probe is empty when there is none. */
    private record Line(
            EchoMeasure measure,
            String title,
            String unit,
            List<String> probe,
            boolean goalIsRatio,
            double goal,
            boolean most) {

        String goalText() {
            String sign = most ? "<= " : ">= ";
            String number = goal == Math.rint(goal) ? String.format(Locale.ROOT, "%.0f", goal) : Double.toString(goal);
            return (goalIsRatio ? "ratio " : "ours ") + sign + number;
        }

        boolean isMet(double ours, double ratio) {
            double value = goalIsRatio ? ratio : ours;
            return most ? value <= goal : value >= goal;
        }
    }

    private static final List<String> PING_PONG = List.of("probe", "flag-ping-pong", "--runs", "1");
    private static final List<String> MEMCPY = List.of("probe", "memcpy", "--runs", "1", "--span", "1");

    private static final List<Line> LINES = List.of(
            new Line(
                    EchoMeasure.LATENCY,
                    "32 B echo, one outstanding, half a round trip",
                    "us",
                    PING_PONG,
                    true,
                    4,
                    true),
            new Line(EchoMeasure.RATE, "32 B echo, 128 outstanding, one thread", "M/s", List.of(), false, 2, false),
            new Line(EchoMeasure.BANDWIDTH, "1 MiB echo, both ways together", "MiB/s", MEMCPY, true, 0.4, false),
            new Line(EchoMeasure.ALLOCATION, "32 B echo, bytes allocated", "B", List.of(), false, 0, true));

    @Option(names = "--runs", description = "how often each is measured (default ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(names = "--seconds", description = "of a measurement, after as many to warm up (default ${DEFAULT-VALUE})")
    private double seconds = 2;

    @Option(names = "--only", description = "lines whose title matches this regular expression")
    private Pattern only = Pattern.compile("");

    @Option(names = "--strict", description = "exit status 1 when a goal is missed")
    private boolean strict;

    @Option(names = "--commit", description = "what is measured, for the report")
    private String commit = "unknown";

    private final BenchmarkProcesses processes = new BenchmarkProcesses();
    private int missed;

    /** Makes the command with its defaults. */
    public EngineTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new EngineTable(), arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.println("| measure | ours | probe | ratio | goal | met? |\n|---|--:|--:|--:|---|---|");
        for (Line line : LINES) {
            if (only.matcher(line.title).find()) {
                System.out.println(row(line));
                System.out.flush();
            }
        }
        System.out.println("\n" + environment());
        return strict && missed > 0 ? 1 : 0;
    }

    private String row(Line line) throws IOException, InterruptedException {
        List<Double> ours = new ArrayList<>();
        List<Double> probes = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            double own = processes.echo(line.measure, seconds);
            double probe = line.probe.isEmpty() ? Double.NaN : processes.probe(line.probe);
            System.err.printf(Locale.ROOT, "%s: %.3f, probe %.3f%n", line.title, own, probe);
            ours.add(own);
            probes.add(probe);
            ratios.add(own / probe);
        }
        boolean met = line.isMet(median(ours), median(ratios));
        missed += met ? 0 : 1;
        return String.format(
                Locale.ROOT,
                "| %s | %.3f %s | %s | %s | %s | %s |",
                line.title,
                median(ours),
                line.unit,
                line.probe.isEmpty() ? "-" : String.format(Locale.ROOT, "%s %.3f", line.probe.get(1), median(probes)),
                line.probe.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", median(ratios)),
                line.goalText(),
                met ? "yes" : "no");
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private String environment() throws IOException {
        String cpu = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
        return "commit %s; %d runs of %s s each; %s, %d processors, %s %s, Java %s"
                .formatted(
                        commit,
                        runs,
                        seconds,
                        cpu,
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        Runtime.version());
    }
}
