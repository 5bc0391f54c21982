package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.TableOptions;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    @Mixin
    private TableOptions options = new TableOptions();

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
        System.out.print(Environment.text(options.commit()));
        System.out.println("- Runs: " + runs + " of " + seconds + " s each\n");
        System.out.println("| measure | ours | probe | ratio | goal | met? |\n|---|--:|--:|--:|---|---|");
        for (Line line : LINES) {
            if (only.matcher(line.title).find()) {
                System.out.println(row(line));
                System.out.flush();
            }
        }
        return options.status(missed);
    }

    private String row(Line line) throws IOException, InterruptedException {
        double[] ours = new double[runs];
        double[] probes = new double[runs];
        double[] ratios = new double[runs];
        for (int i = 0; i < runs; i++) {
            double own = processes.echo(line.measure, seconds);
            double probe = line.probe.isEmpty() ? Double.NaN : processes.probe(line.probe);
            System.err.printf(Locale.ROOT, "%s: %.3f, probe %.3f%n", line.title, own, probe);
            ours[i] = own;
            probes[i] = probe;
            ratios[i] = own / probe;
        }
        boolean met = line.isMet(Median.of(ours), Median.of(ratios));
        missed += met ? 0 : 1;
        return String.format(
                Locale.ROOT,
                "| %s | %.3f %s | %s | %s | %s | %s |",
                line.title,
                Median.of(ours),
                line.unit,
                line.probe.isEmpty()
                        ? "-"
                        : String.format(Locale.ROOT, "%s %.3f", line.probe.get(1), Median.of(probes)),
                line.probe.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", Median.of(ratios)),
                line.goalText(),
                met ? "yes" : "no");
    }
}
