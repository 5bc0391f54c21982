package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.Commands;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The measurements of bare verbs, one subcommand each. */
@Command(
        name = "benchmarks",
        subcommands = {
            SendLatency.class,
            Bandwidth.Read.class,
            Bandwidth.Write.class,
            AllocationCheck.class,
            HelpCommand.class
        })
public final class VerbsBenchmarks {

    private VerbsBenchmarks() {}

    /**
     * Runs one.
     *
     * @param arguments {@code help} lists them
     */
    public static void main(String... arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        return Commands.run(new VerbsBenchmarks(), arguments);
    }
}
