package io.rdmarpc.examples.pingpong;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import picocli.CommandLine.Option;

/** Options of a ping-pong. They have the names of the C programs' options. */
final class PingPongOptions {

    @Option(
            names = {"-r", "--rx-depth"},
            description = "number of posted receives (default ${DEFAULT-VALUE})")
    int receiveDepth = 500;

    @Option(
            names = {"-l", "--sl"},
            description = "service level (default ${DEFAULT-VALUE})")
    int serviceLevel;

    @Option(
            names = {"-c", "--chk"},
            description = "check the bytes of the last message; only between two Java programs")
    boolean validate;

    /** Returns capacities for one send in flight; one completion queue serves sends and receives. */
    QueuePairConfig queuePair(QueuePairType type, CompletionQueue queue) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(1, receiveDepth, 1, 1, 0);
        return new QueuePairConfig(type, queue, queue, capabilities, false);
    }
}
