package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.ChildJvm;
import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.TableOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures a server with few sessions and with many, in turn, and prints a table in Markdown. */
@Command(
        name = "sessions",
        description = "what many sessions cost one polling thread, beside few: a Markdown table",
        mixinStandardHelpOptions = true)
public final class SessionsTable implements Callable<Integer> {

    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xms512m",
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=1g",
            "--enable-native-access=ALL-UNNAMED");
    private static final long LIMIT_SECONDS = 60;
    private static final double MIB = 1 << 20;

    /** What one run measured. */
    private record Result(
            double connects, double calls, double clientHeap, double serverHeap, double registered, double ringMib) {

        double serverBytes() {
            return serverHeap + registered;
        }
    }

    @Option(names = "--few", description = "sessions to compare with (default ${DEFAULT-VALUE})")
    private int few = 10;

    @Option(names = "--many", description = "sessions that are measured (default ${DEFAULT-VALUE})")
    private int many = 10_000;

    @Option(names = "--outstanding", description = "calls outstanding (default ${DEFAULT-VALUE})")
    private int outstanding = 128;

    @Option(names = "--runs", description = "how often each is measured (default ${DEFAULT-VALUE})")
    private int runs = 3;

    @Option(names = "--seconds", description = "of a measurement, after as many to warm up (default ${DEFAULT-VALUE})")
    private double seconds = 3;

    @Mixin
    private TableOptions options = new TableOptions();

    private int missed;

    /** Makes the command with its defaults. */
    public SessionsTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new SessionsTable(), arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.print(Environment.text(options.commit()));
        System.out.println("- Runs: " + runs + " of " + seconds
                + " s each, a server process with one polling thread and a client process\n");
        List<Result> ofFew = new ArrayList<>();
        List<Result> ofMany = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            ofFew.add(run(few));
            ofMany.add(run(many));
        }
        double calls = median(ofMany, Result::calls) / median(ofFew, Result::calls);
        double server = median(ofMany, Result::serverBytes);
        double ring = median(ofMany, Result::ringMib);
        System.out.printf(
                "| measure | %,d sessions | %,d sessions | goal | met? |%n|---|--:|--:|---|---|%n", few, many);
        row(
                "32 B echoes a second, " + outstanding + " outstanding, evenly spread",
                "%,.0f",
                ofFew,
                ofMany,
                Result::calls,
                String.format(Locale.ROOT, "ratio >= 0.80: %.2f", calls),
                calls >= 0.8);
        row("sessions opened a second", "%,.0f", ofFew, ofMany, Result::connects, "-", true);
        row("heap of a session at the server, bytes", "%,.0f", ofFew, ofMany, Result::serverHeap, "-", true);
        row(
                "heap and registered memory of a session at the server beside the ring, bytes",
                "%,.0f",
                ofFew,
                ofMany,
                Result::serverBytes,
                "<= 16384",
                server <= 16_384);
        row("heap of a session at the client, bytes", "%,.0f", ofFew, ofMany, Result::clientHeap, "-", true);
        row("receive ring of the server, MiB", "%.1f", ofFew, ofMany, Result::ringMib, "<= 64", ring <= 64);
        return options.status(missed);
    }

    private void row(
            String title,
            String format,
            List<Result> ofFew,
            List<Result> ofMany,
            ToDoubleFunction<Result> value,
            String goal,
            boolean met) {
        missed += met ? 0 : 1;
        System.out.printf(
                "| %s | %s | %s | %s | %s |%n",
                title,
                String.format(Locale.ROOT, format, median(ofFew, value)),
                String.format(Locale.ROOT, format, median(ofMany, value)),
                goal,
                goal.equals("-") ? "" : met ? "yes" : "no");
    }

    private static double median(List<Result> results, ToDoubleFunction<Result> value) {
        return Median.of(results.stream().mapToDouble(value).toArray());
    }

    private Result run(int sessions) throws IOException, InterruptedException {
        Process server = start(SessionsServer.class, Integer.toString(sessions));
        try (BufferedReader said = server.inputReader(StandardCharsets.US_ASCII)) {
            String port = line(said, server);
            Process client = start(
                    SessionsClient.class,
                    port,
                    Integer.toString(sessions),
                    Integer.toString(outstanding),
                    Double.toString(seconds));
            try (BufferedReader measured = client.inputReader(StandardCharsets.US_ASCII)) {
                double[] ofClient = numbers(line(measured, client));
                server.getOutputStream().write('\n');
                server.getOutputStream().flush();
                double[] ofServer = numbers(line(said, server));
                if (ofServer[0] != sessions) {
                    throw new IOException("the server has " + ofServer[0] + " sessions instead of " + sessions);
                }
                System.err.printf(
                        Locale.ROOT, "%d sessions: %.0f/s opened, %.0f calls/s%n", sessions, ofClient[0], ofClient[1]);
                return new Result(ofClient[0], ofClient[1], ofClient[2], ofServer[1], ofServer[2], ofServer[3] / MIB);
            } finally {
                ChildJvm.end(client, LIMIT_SECONDS);
            }
        } finally {
            ChildJvm.end(server, LIMIT_SECONDS);
        }
    }

    private static double[] numbers(String line) {
        return Arrays.stream(line.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private static String line(BufferedReader from, Process process) throws IOException, InterruptedException {
        @Nullable String line = from.readLine();
        if (line == null) {
            throw new IOException("a process has ended with status " + process.waitFor());
        }
        return line;
    }

    private static Process start(Class<?> program, String... arguments) throws IOException {
        return ChildJvm.of(FLAGS, program.getName(), List.of(arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
