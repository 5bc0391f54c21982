package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How many datagrams a second get from one end to the other. It has no counterpart: {@code ib_send_bw} loses some. */
@Command(
        name = "send-rate",
        description = "UD messages a second one way, in postlists, none lost",
        mixinStandardHelpOptions = true)
final class SendRate extends VerbsBenchmark {

    @Option(
            names = {"-b", "--batch"},
            description = "messages of a postlist (default ${DEFAULT-VALUE})")
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

    /** One part to send from, one to receive into: what the messages say does not matter. */
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
