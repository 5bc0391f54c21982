package io.rdmarpc.benchmarks.engine;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The measurements of the engine. */
@Command(
        name = "rpc",
        description = "the RPC engine on bytes",
        subcommands = {EchoServer.class, EchoClient.class, HelpCommand.class})
public final class EngineCommands {

    /** Makes the command, which has no options of its own. */
    public EngineCommands() {}
}
