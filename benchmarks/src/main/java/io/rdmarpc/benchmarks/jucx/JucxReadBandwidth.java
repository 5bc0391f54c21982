package io.rdmarpc.benchmarks.jucx;

import io.rdmarpc.benchmarks.BandwidthReport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openucx.jucx.ucp.UcpRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures one-sided reads of the server's memory, with several in flight. The server only provides the memory. */
@Command(name = "read-bw", description = "measures the bandwidth of one-sided reads", mixinStandardHelpOptions = true)
final class JucxReadBandwidth extends JucxBenchmark {

    private static final byte SERVERS_BYTE = 0x5a;

    @Option(
            names = {"-t", "--tx-depth"},
            description = "operations in flight (default ${DEFAULT-VALUE})")
    private int depth = 128;

    @Override
    int defaultSize() {
        return 65536;
    }

    @Override
    long memoryBytes() {
        return options().size;
    }

    @Override
    String header() {
        return BandwidthReport.HEADER;
    }

    @Override
    void prepare(JucxNode node, boolean client) {
        if (!client) {
            node.memory().fill(SERVERS_BYTE);
        }
    }

    @Override
    String run(JucxNode node, boolean client) {
        if (!client) {
            return "";
        }
        move(node, options().warmUp);
        long start = System.nanoTime();
        move(node, options().peer.iterations());
        long nanos = System.nanoTime() - start;
        check(node.memory());
        return BandwidthReport.line(options().size, options().peer.iterations(), nanos);
    }

    /** Makes reads, which complete in order. */
    private void move(JucxNode node, int count) {
        UcpRequest[] outstanding = new UcpRequest[Math.min(depth, count)];
        for (int i = 0; i < count; i++) {
            int slot = i % outstanding.length;
            if (i >= outstanding.length) {
                node.await(outstanding[slot]);
            }
            outstanding[slot] = node.read(options().size);
        }
        for (UcpRequest last : outstanding) {
            node.await(last);
        }
    }

    private static void check(MemorySegment memory) {
        for (long i = 0; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != SERVERS_BYTE) {
                throw new IllegalStateException("byte " + i + " differs from the server's memory");
            }
        }
        memory.fill((byte) 0);
    }
}
