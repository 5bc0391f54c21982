package io.rdmarpc.examples.pingpong;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to send, and to whom. The options have the names of the C programs. */
final class PingPongOptions {

    @Parameters(index = "0", arity = "0..1", paramLabel = "<host>", description = "the server; without it: be one")
    @Nullable
    String host;

    @Option(
            names = {"-p", "--port"},
            description = "TCP port of the address exchange (default ${DEFAULT-VALUE})")
    int tcpPort = 18515;

    @Option(
            names = {"-n", "--iters"},
            description = "messages each way (default ${DEFAULT-VALUE})")
    int iterations = 1000;

    @Option(
            names = {"-r", "--rx-depth"},
            description = "receives posted at a time (default ${DEFAULT-VALUE})")
    int receiveDepth = 500;

    @Option(
            names = {"-l", "--sl"},
            description = "service level (default ${DEFAULT-VALUE})")
    int serviceLevel;

    @Option(
            names = {"-c", "--chk"},
            description = "look at the bytes of the last message; for two Java programs")
    boolean validate;
}
