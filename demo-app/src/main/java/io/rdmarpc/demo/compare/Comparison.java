package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.MeasurementResult;
import io.rdmarpc.demo.Transport;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the transports: starts a server and a client of each, waits until they are warm, and measures each part with
 * the transports in turn, so that each has the machine for itself.
 */
public final class Comparison {

    /** Argument of the command line that selects the comparison. */
    public static final String ARGUMENT = "--demo.compare";

    private static final Duration SLICE = Duration.ofSeconds(2);
    private static final int ROUNDS = 3;

    private final ComparisonSettings settings;
    private final PrintStream out;
    private final List<ComparedPair> pairs = new ArrayList<>();
    private final List<String> notWarm = new ArrayList<>();
    private final ComparisonTable table;

    private Comparison(ComparisonSettings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
        this.table = new ComparisonTable(settings.callers());
    }

    /** Runs the comparison, prints its results and returns the exit status. */
    public static int run(List<String> arguments, PrintStream out) {
        Comparison comparison = new Comparison(ComparisonSettings.of(arguments), out);
        try {
            return comparison.run();
        } catch (IllegalStateException e) {
            out.println("THE DEMO FAILED: " + e.getMessage());
            return 1;
        } finally {
            comparison.pairs.forEach(ComparedPair::close);
        }
    }

    private int run() {
        out.println("The same order service over RDMA, gRPC and Spring HTTP, each in a server and a client process.");
        out.printf(
                "Warm-up: until calls get no faster, at most %d s each.%n",
                settings.warmUp().toSeconds());
        for (Transport transport : Transport.values()) {
            ComparedPair pair = ComparedPair.start(transport, settings);
            pairs.add(pair);
            MeasurementResult first = pair.measure(Part.FIRST_CALL, Duration.ZERO);
            if (!first.isClean()) {
                throw new IllegalStateException(
                        "the first call over " + transport.label() + " failed: " + first.problem());
            }
            table.put(Part.FIRST_CALL, transport, first);
            warmUp(pair);
        }
        MachineLoad load = new MachineLoad();
        Duration slice = Duration.ofSeconds(settings.seconds()).dividedBy((long) ROUNDS * Part.WARM.size());
        for (Part part : Part.WARM) {
            measure(part, slice);
        }
        print(load.describe());
        return table.problems().isEmpty() ? 0 : 1;
    }

    private void warmUp(ComparedPair pair) {
        WarmUp warmUp = new WarmUp(settings.warmUp());
        while (!warmUp.isOver()) {
            warmUp.add(pair.warmUp(SLICE), SLICE);
            out.printf("  %-12s %s%n", pair.transport().label(), warmUp.progress());
        }
        if (!warmUp.isWarm()) {
            notWarm.add(pair.transport().label());
        }
    }

    private void measure(Part part, Duration slice) {
        out.println("measuring: " + part.label(settings.callers()));
        for (int round = 0; round < ROUNDS; round++) {
            for (ComparedPair pair : pairs) {
                MeasurementResult result = pair.measure(part, slice);
                table.put(part, pair.transport(), result);
            }
        }
    }

    private void print(String load) {
        out.println();
        table.lines().forEach(out::println);
        out.println();
        out.println(pairs.getFirst().description());
        out.println(load);
        if (!notWarm.isEmpty()) {
            out.println("Not warm after " + settings.warmUp().toSeconds() + " s: " + String.join(", ", notWarm)
                    + ". Their figures would improve.");
        }
        List<String> losses = table.losses();
        if (!losses.isEmpty()) {
            out.println("RDMA is slower in:");
            losses.forEach(loss -> out.println("  " + loss));
        }
        List<String> problems = table.problems();
        problems.forEach(out::println);
        out.println(table.summary());
        out.println(problems.isEmpty() ? "every response was checked and is correct" : "THE DEMO FAILED");
    }
}
