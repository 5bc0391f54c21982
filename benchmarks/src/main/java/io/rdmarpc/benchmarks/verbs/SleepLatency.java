package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;

/** How long it takes from a post to the end of a sleep at the other end. Both ends on one host: they read one clock. */
@Command(
        name = "wake-up",
        description =
                "from the post of a UD message to the end of the peer's sleep in a completion channel, on one host",
        mixinStandardHelpOptions = true)
final class SleepLatency extends VerbsBenchmark {

    @Override
    QueuePairType type() {
        return QueuePairType.UD;
    }

    @Override
    int defaultSize() {
        return 32;
    }

    @Override
    QueuePairCapabilities capabilities() {
        return new QueuePairCapabilities(1, 1, 1, 1, 0);
    }

    @Override
    long memoryBytes() {
        return 2 * LatencyWorkload.inbox(options().size);
    }

    @Override
    String header() {
        return SleepLatencyWorkload.HEADER;
    }

    @Override
    Wiring wire(OpenPort port, ProtectionDomain domain) {
        return new Wiring(
                port,
                domain,
                type(),
                capabilities(),
                options().checked,
                port.context().createCompletionChannel());
    }

    @Override
    Workload workload(Arena arena, Wiring wiring, MemoryRegion memory) {
        return new SleepLatencyWorkload(arena, wiring, memory, options());
    }
}
