package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;

/**
 * Measures the time from a post until the peer's sleep ends. Both ends must run on one host, because they share its
 * clock.
 */
@Command(
        name = "wake-up",
        description =
                "measures the time from posting a UD message until the peer's sleep in a completion channel ends, on"
                        + " one host",
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
