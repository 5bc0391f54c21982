package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.TableOptions;
import io.rdmarpc.benchmarks.sessions.SessionsRun.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures a server with few sessions and with many, in turn, and prints a table in Markdown. */
@Command(
        name = "sessions",
        description = "what many sessions cost one polling thread, beside few: a Markdown table",
        mixinStandardHelpOptions = true)
public final class SessionsTable implements Callable<Integer> {

    private static final double MIB = 1 << 20;
    private static final double MOST_RINGS_MIB = 64;
    private static final double MOST_BYTES = 16_384;
    private static final double LEAST_RATIO = 0.8;

    @Option(names = "--few", description = "sessions to compare with (default ${DEFAULT-VALUE})")
    private int few = 10;

    @Option(names = "--many", description = "sessions that are measured (default ${DEFAULT-VALUE})")
    private int many = 10_000;

    @Option(names = "--clients", description = "client processes, which share the sessions (default ${DEFAULT-VALUE})")
    private int clients = 2;

    @Option(
            names = "--mtu",
            description = "path MTU in bytes; an entry of a receive ring is as large (default ${DEFAULT-VALUE})")
    private int mtuBytes = 2048;

    @Option(names = "--outstanding", description = "calls outstanding (default ${DEFAULT-VALUE})")
    private int outstanding = 128;

    @Option(names = "--runs", description = "how often each is measured (default ${DEFAULT-VALUE})")
    private int runs = 3;

    @Option(names = "--seconds", description = "of a measurement, after as many to warm up (default ${DEFAULT-VALUE})")
    private double seconds = 3;

    @Mixin
    private TableOptions options = new TableOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final List<Result> ofFew = new ArrayList<>();
    private final List<Result> ofMany = new ArrayList<>();
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
        if (clients < 1 || clients > Math.min(few, outstanding)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--clients " + clients + ": each of 1 or more has to have a session of --few " + few
                            + " and a call of --outstanding " + outstanding);
        }
        out().print(Environment.text(options.commit()));
        out().println("- Runs: " + runs + " of " + seconds + " s each, a server process with one polling thread and "
                + clients + " client processes, path MTU " + mtuBytes + " bytes\n");
        SessionsRun run = new SessionsRun(clients, mtuBytes, outstanding, seconds);
        for (int i = 0; i < runs; i++) {
            ofFew.add(measure(run, few));
            ofMany.add(measure(run, many));
        }
        print();
        out().flush();
        return options.status(missed);
    }

    private Result measure(SessionsRun run, int sessions) throws IOException, InterruptedException {
        Result result = run.measure(sessions);
        spec.commandLine()
                .getErr()
                .printf(
                        Locale.ROOT,
                        "%d sessions: %.0f/s opened, %.0f calls/s%n",
                        sessions,
                        result.connects(),
                        result.calls());
        return result;
    }

    private void print() {
        out().printf(
                        Locale.ROOT,
                        "| measure | %,d sessions | %,d sessions | goal | met? |%n|---|--:|--:|---|---|%n",
                        few,
                        many);
        double ratio = median(ofMany, Result::calls) / median(ofFew, Result::calls);
        row(
                "32 B echoes a second, " + outstanding + " outstanding, evenly spread",
                "%,.0f",
                Result::calls,
                String.format(Locale.ROOT, "ratio >= %.2f: %.2f", LEAST_RATIO, ratio),
                ratio >= LEAST_RATIO);
        row("sessions opened a second", "%,.0f", Result::connects);
        row(
                "heap of a session at the server, bytes",
                "%,.0f",
                result -> result.server().heap());
        atMost(
                "heap and registered memory of a session at the server beside the ring, bytes",
                "%,.0f",
                result -> result.server().bytes(),
                MOST_BYTES);
        row(
                "heap of a session at its client, bytes",
                "%,.0f",
                result -> result.client().heap());
        atMost(
                "heap and registered memory of a session at its client beside the ring, bytes",
                "%,.0f",
                result -> result.client().bytes(),
                MOST_BYTES);
        atMost(
                "receive rings of the server and all clients, MiB",
                "%.1f",
                result -> result.ringBytes() / MIB,
                MOST_RINGS_MIB);
    }

    private void row(String title, String format, ToDoubleFunction<Result> value) {
        row(title, format, value, "-", true);
    }

    private void atMost(String title, String format, ToDoubleFunction<Result> value, double most) {
        row(title, format, value, String.format(Locale.ROOT, "<= %.0f", most), median(ofMany, value) <= most);
    }

    private void row(String title, String format, ToDoubleFunction<Result> value, String goal, boolean met) {
        missed += met ? 0 : 1;
        out().printf(
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

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
