package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.engine.EngineCommands;
import io.rdmarpc.benchmarks.jucx.JucxCommands;
import io.rdmarpc.benchmarks.memory.ReadsCommand;
import io.rdmarpc.benchmarks.probe.Probes;
import java.util.function.IntConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The measurements of bare verbs, one subcommand each, and the probes. */
@Command(
        name = "benchmarks",
        subcommands = {
            SendLatency.class,
            SendRate.class,
            SleepLatency.class,
            Bandwidth.Read.class,
            Bandwidth.Write.class,
            ChannelWakeUp.class,
            IdleCheck.class,
            AllocationCheck.class,
            Probes.class,
            EngineCommands.class,
            JucxCommands.class,
            ReadsCommand.class,
            HelpCommand.class
        })
public final class VerbsBenchmarks {

    private final IntConsumer listening;

    VerbsBenchmarks(IntConsumer listening) {
        this.listening = listening;
    }

    /** Receives the TCP port of a server as soon as a client can connect. */
    IntConsumer listening() {
        return listening;
    }

    /**
     * Runs one subcommand.
     *
     * @param arguments {@code help} lists them
     */
    public static void main(String... arguments) {
        System.exit(run(port -> System.err.println("listening on TCP port " + port), arguments));
    }

    /** Runs a subcommand as {@link #main} does. A server reports its TCP port as soon as it listens. */
    static int run(IntConsumer listening, String... arguments) {
        return Commands.run(new VerbsBenchmarks(listening), arguments);
    }
}
