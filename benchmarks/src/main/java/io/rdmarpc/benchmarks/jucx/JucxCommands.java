package io.rdmarpc.benchmarks.jucx;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The commands that measure JUCX. */
@Command(
        name = "jucx",
        description = "measures JUCX, for comparison; needs UCX on this machine, which selects devices by UCX_TLS and"
                + " UCX_NET_DEVICES",
        subcommands = {JucxSendLatency.class, JucxReadBandwidth.class, HelpCommand.class})
public final class JucxCommands {

    /** Creates the command, which has no options of its own. */
    public JucxCommands() {}
}
