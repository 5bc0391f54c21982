package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.BandwidthReport;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the bandwidth of READ and of WRITE have in common. */
abstract class Bandwidth extends VerbsBenchmark {

    /** Above this size perftest requests every completion. */
    private static final int MODERATED_UP_TO_BYTES = 8192;

    private static final int DEFAULT_MODERATION = 100;

    private final int opcode;

    @Option(
            names = {"-t", "--tx-depth"},
            description = "operations at a time (default ${DEFAULT-VALUE})")
    private int depth = 128;

    @Option(
            names = {"-Q", "--cq-mod"},
            description = "one completion for so many operations (default: 1 over 8 KiB, else 100)")
    private int moderation;

    @Option(
            names = "--span",
            paramLabel = "<MiB>",
            description = "memory that the operations walk through at both ends, over the caches if need be"
                    + " (default: one message)")
    private int spanMebibytes;

    @Option(
            names = "--lendable",
            description = "memory that a peer on the same host can map, where the provider has such")
    private boolean lendable;

    private Bandwidth(int opcode) {
        this.opcode = opcode;
    }

    /** The counterpart of {@code ib_read_bw}. */
    @Command(name = "read-bw", description = "bandwidth of READ, as ib_read_bw", mixinStandardHelpOptions = true)
    static final class Read extends Bandwidth {
        Read() {
            super(SendOpcode.RDMA_READ);
        }
    }

    /** The counterpart of {@code ib_write_bw}. */
    @Command(name = "write-bw", description = "bandwidth of WRITE, as ib_write_bw", mixinStandardHelpOptions = true)
    static final class Write extends Bandwidth {
        Write() {
            super(SendOpcode.RDMA_WRITE);
        }
    }

    @Override
    final QueuePairType type() {
        return QueuePairType.RC;
    }

    @Override
    final int defaultSize() {
        return 65536;
    }

    @Override
    final QueuePairCapabilities capabilities() {
        return new QueuePairCapabilities(depth, 1, 1, 1, options().inlineBytes);
    }

    @Override
    final long memoryBytes() {
        return Math.max(options().size, (long) spanMebibytes << 20);
    }

    @Override
    final MemorySegment allocate(Arena arena, OpenPort port) {
        return lendable ? port.context().allocateLendable(arena, memoryBytes()) : super.allocate(arena, port);
    }

    @Override
    final String header() {
        return BandwidthReport.HEADER;
    }

    @Override
    final Workload workload(Arena arena, Wiring wiring, MemoryRegion memory) {
        return new BandwidthWorkload(arena, wiring, memory, options(), opcode, depth, moderation());
    }

    private int moderation() {
        if (moderation > 0) {
            return Math.min(moderation, depth);
        }
        return options().size > MODERATED_UP_TO_BYTES ? 1 : Math.min(DEFAULT_MODERATION, depth);
    }
}
