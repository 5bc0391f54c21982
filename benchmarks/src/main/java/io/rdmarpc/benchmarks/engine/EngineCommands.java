package io.rdmarpc.benchmarks.engine;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The commands that measure the engine. */
@Command(
        name = "rpc",
        description = "measures the RPC engine with bytes as payload",
        subcommands = {EchoServer.class, EchoClient.class, HelpCommand.class})
public final class EngineCommands {

    /** Creates the command, which has no options of its own. */
    public EngineCommands() {}
}
