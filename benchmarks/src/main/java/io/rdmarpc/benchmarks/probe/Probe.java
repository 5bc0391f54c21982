package io.rdmarpc.benchmarks.probe;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures one thing some times and prints one line: {@code name median unit (spread)}. */
abstract class Probe implements Callable<Integer> {

    private final String unit;

    @Option(names = "--runs", description = "how often to measure (default ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(
            names = {"-n", "--iters"},
            description = "operations of a run (default: what takes about a second)")
    private int iterations;

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

    /** Measures as often as asked for; the first run, which the compiler needs, does not count. */
    final void print(Run run) throws Exception {
        run.measure();
        double[] results = new double[runs];
        for (int i = 0; i < runs; i++) {
            results[i] = run.measure();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(new Spread(results).line(name(), unit));
        out.flush();
    }

    /** One measurement. */
    interface Run {
        double measure() throws Exception;
    }
}
