package io.rdmarpc.benchmarks.jucx;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The measurements of JUCX. */
@Command(
        name = "jucx",
        description =
                "JUCX, for comparison; needs UCX on this machine, whose variables (UCX_TLS, UCX_NET_DEVICES) choose devices",
        subcommands = {JucxSendLatency.class, JucxReadBandwidth.class, HelpCommand.class})
public final class JucxCommands {

    /** Makes the command, which has no options of its own. */
    public JucxCommands() {}
}
