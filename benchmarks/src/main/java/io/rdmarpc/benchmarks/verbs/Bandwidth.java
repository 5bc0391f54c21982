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

/** The common part of the bandwidth benchmarks of READ and of WRITE. */
abstract class Bandwidth extends VerbsBenchmark {

    /** Size in bytes above which perftest requests every completion. */
    private static final int MODERATED_UP_TO_BYTES = 8192;

    private static final int DEFAULT_MODERATION = 100;

    private final int opcode;

    @Option(
            names = {"-t", "--tx-depth"},
            description = "operations in flight (default ${DEFAULT-VALUE})")
    private int depth = 128;

    @Option(
            names = {"-Q", "--cq-mod"},
            description = "number of operations per completion (default: 1 above 8 KiB, otherwise 100)")
    private int moderation;

    @Option(
            names = "--span",
            paramLabel = "<MiB>",
            description = "memory at both ends through which the operations advance, to exceed the caches if necessary"
                    + " (default: one message)")
    private int spanMebibytes;

    @Option(
            names = "--lendable",
            description = "use memory that a peer on the same host can map, if the provider supports it")
    private boolean lendable;

    private Bandwidth(int opcode) {
        this.opcode = opcode;
    }

    /** The counterpart of {@code ib_read_bw}. */
    @Command(
            name = "read-bw",
            description = "measures the bandwidth of READ, as ib_read_bw does",
            mixinStandardHelpOptions = true)
    static final class Read extends Bandwidth {
        Read() {
            super(SendOpcode.RDMA_READ);
        }
    }

    /** The counterpart of {@code ib_write_bw}. */
    @Command(
            name = "write-bw",
            description = "measures the bandwidth of WRITE, as ib_write_bw does",
            mixinStandardHelpOptions = true)
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
