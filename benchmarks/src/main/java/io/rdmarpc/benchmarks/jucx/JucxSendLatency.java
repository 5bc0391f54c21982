package io.rdmarpc.benchmarks.jucx;

import io.rdmarpc.benchmarks.LatencyReport;
import org.openucx.jucx.ucp.UcpRequest;
import picocli.CommandLine.Command;

/** Measures half the round trip of tagged messages, with one in flight. */
@Command(name = "send-lat", description = "measures the latency of a tagged message", mixinStandardHelpOptions = true)
final class JucxSendLatency extends JucxBenchmark {

    private static final int PAGE = 4096;

    @Override
    int defaultSize() {
        return 2;
    }

    /** Returns the memory: one half to send from, one to receive into. */
    @Override
    long memoryBytes() {
        return 2 * inbox();
    }

    private long inbox() {
        return ((long) options().size + PAGE - 1) / PAGE * PAGE;
    }

    @Override
    String header() {
        return LatencyReport.HEADER;
    }

    @Override
    void prepare(JucxNode node, boolean client) {
        // The content of the messages is not checked.
    }

    @Override
    String run(JucxNode node, boolean client) {
        long[] postedNanos = new long[options().warmUp + options().peer.iterations()];
        for (int i = 0; i < postedNanos.length; i++) {
            UcpRequest received = node.receive(inbox(), options().size);
            if (!client) {
                node.await(received);
            }
            postedNanos[i] = System.nanoTime();
            node.await(node.send(0, options().size));
            if (client) {
                node.await(received);
            }
        }
        return new LatencyReport(postedNanos, options().warmUp).line(options().size);
    }
}
