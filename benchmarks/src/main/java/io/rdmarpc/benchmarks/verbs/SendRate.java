package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures datagrams per second in one direction, without loss. There is no C counterpart: {@code ib_send_bw} loses
 * some datagrams.
 */
@Command(
        name = "send-rate",
        description = "measures UD messages per second in one direction, in postlists, without loss",
        mixinStandardHelpOptions = true)
final class SendRate extends VerbsBenchmark {

    @Option(
            names = {"-b", "--batch"},
            description = "messages per postlist (default ${DEFAULT-VALUE})")
    private int batch = 16;

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
        return new QueuePairCapabilities(
                SendRateWorkload.POSTLISTS * batch, SendRateWorkload.RECEIVES, 1, 1, options().inlineBytes);
    }

    /** Returns the memory: one part to send from, one to receive into. The content of messages is not used. */
    @Override
    long memoryBytes() {
        return LatencyWorkload.inbox(options().size) + LatencyWorkload.GRH_BYTES + options().size;
    }

    @Override
    String header() {
        return SendRateWorkload.HEADER;
    }

    @Override
    Workload workload(Arena arena, Wiring wiring, MemoryRegion memory) {
        return new SendRateWorkload(arena, wiring, memory, options(), batch);
    }
}
