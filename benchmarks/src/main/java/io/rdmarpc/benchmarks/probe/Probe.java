package io.rdmarpc.benchmarks.probe;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures one figure several times and prints one line: {@code name median unit (spread)}. */
abstract class Probe implements Callable<Integer> {

    private final String unit;

    @Option(names = "--runs", description = "number of measurements (default ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(
            names = {"-n", "--iters"},
            description = "operations per run (default ${DEFAULT-VALUE})")
    private int iterations;

    @Option(
            names = "--warm-up",
            description = "warm-up in seconds: while both CPUs of a virtual machine are busy, the host may"
                    + " move them apart (default ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(names = "--on-demand", description = "measure once for each input line, and end at the end of the input")
    private boolean onDemand;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    Probe(String unit, int iterations) {
        this.unit = unit;
        this.iterations = iterations;
    }

    final int iterations() {
        return iterations;
    }

    final String name() {
        return spec.name();
    }

    /** Measures the requested number of times. The first run warms up the JIT compiler and does not count. */
    final void print(Run run) throws Exception {
        run.measure();
        warmUp(run);
        if (onDemand) {
            printOnDemand(run);
        } else {
            printSpread(run, runs);
        }
    }

    private void warmUp(Run run) throws Exception {
        long start = System.nanoTime();
        while (System.nanoTime() - start < warmUp * 1e9) {
            run.measure();
        }
    }

    private void printOnDemand(Run run) throws Exception {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        while (requests.readLine() != null) {
            printSpread(run, 1);
        }
    }

    private void printSpread(Run run, int times) throws Exception {
        double[] results = new double[times];
        for (int i = 0; i < times; i++) {
            results[i] = run.measure();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(new Spread(results).line(name(), unit));
        out.flush();
    }

    /** A single measurement. */
    interface Run {
        double measure() throws Exception;
    }
}
