package io.rdmarpc.examples.pingpong;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import picocli.CommandLine.Option;

/** How to play. The options have the names of the C programs. */
final class PingPongOptions {

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

    /** One send at a time; all completions in one queue. */
    QueuePairConfig queuePair(QueuePairType type, CompletionQueue queue) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(1, receiveDepth, 1, 1, 0);
        return new QueuePairConfig(type, queue, queue, capabilities, false);
    }
}
