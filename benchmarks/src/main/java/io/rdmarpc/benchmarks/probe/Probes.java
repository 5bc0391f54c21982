package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.Commands;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The probes, one subcommand each. */
@Command(
        name = "probe",
        description = "measures this machine without RDMA",
        subcommands = {
            FlagPingPong.class,
            BareRing.class,
            DatagramPingPong.class,
            DatagramStream.class,
            MessageBatchEcho.class,
            WakeUp.class,
            BlockCopy.class,
            BlockEcho.class,
            HelpCommand.class
        })
public final class Probes {

    /** Creates the command, which has no options of its own. */
    public Probes() {}

    /**
     * Runs one probe.
     *
     * @param arguments {@code help} lists them
     */
    public static void main(String... arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        return Commands.run(new Probes(), arguments);
    }
}
