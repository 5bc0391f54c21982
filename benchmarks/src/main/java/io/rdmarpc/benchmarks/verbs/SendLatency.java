package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.LatencyReport;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The counterpart of {@code ib_send_lat}: measures half the time of a round trip. */
@Command(
        name = "send-lat",
        description = "measures the latency of SEND, as ib_send_lat does",
        mixinStandardHelpOptions = true)
final class SendLatency extends VerbsBenchmark {

    @Option(
            names = {"-c", "--connection"},
            description = "transport service, RC or UD (default ${DEFAULT-VALUE})")
    private QueuePairType type = QueuePairType.RC;

    @Override
    QueuePairType type() {
        return type;
    }

    @Override
    int defaultSize() {
        return 2;
    }

    @Override
    QueuePairCapabilities capabilities() {
        return new QueuePairCapabilities(1, LatencyWorkload.RECEIVE_DEPTH, 1, 1, options().inlineBytes);
    }

    /** Returns the memory: one half to send from, one to receive into. */
    @Override
    long memoryBytes() {
        return 2 * LatencyWorkload.inbox(options().size);
    }

    @Override
    String header() {
        return LatencyReport.HEADER;
    }

    @Override
    Workload workload(Arena arena, Wiring wiring, MemoryRegion memory) {
        return new LatencyWorkload(arena, wiring, memory, options());
    }
}
