package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import picocli.CommandLine.Command;

/**
 * Datagrams of 4 KiB in one direction, as fast as the JDK's channel accepts them. The result counts received bytes,
 * from the first to the last datagram.
 */
@Command(
        name = "datagram-stream",
        description = "bytes received of 4 KiB datagrams in one direction over loopback UDP by DatagramChannel",
        mixinStandardHelpOptions = true)
final class DatagramStream extends TwoProcessProbe {

    private static final int BYTES = 4096;
    private static final int POLLS_PER_REQUEST_CHECK = 64;
    private static final double MEBIBYTE = 1 << 20;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("space for a datagram");

    DatagramStream() {
        super("MiB/s", 100_000);
    }

    @Override
    void first(Arena arena, ChildProcess peer) throws Exception {
        try (DatagramChannel channel = DatagramEnd.first(peer)) {
            print(peer, () -> {
                for (int i = 0; i < iterations(); i++) {
                    send(channel);
                }
                peer.send("report");
                return Double.parseDouble(peer.line());
            });
        }
    }

    private void send(DatagramChannel channel) throws IOException {
        buffer.clear();
        while (channel.write(buffer) == 0) {
            pollTimeout.check();
        }
        pollTimeout.reset();
    }

    @Override
    void second(Arena arena, ProbeRequests requests) throws IOException, InterruptedException {
        try (DatagramChannel channel = DatagramEnd.second(requests)) {
            while (true) {
                int _ = awaitRun(requests);
                double rate = receiveUntilRequested(channel, requests);
                requests.next();
                requests.respond(rate);
            }
        }
    }

    /** Receives datagrams until a request has arrived and no datagram is left. Returns MiB per second. */
    private double receiveUntilRequested(DatagramChannel channel, ProbeRequests requests) throws IOException {
        long start = 0;
        long end = 0;
        long bytes = 0;
        for (int idle = 0; ; ) {
            buffer.clear();
            int count = channel.read(buffer);
            if (count == 0) {
                if (++idle % POLLS_PER_REQUEST_CHECK == 0 && requests.hasNext()) {
                    return bytes / MEBIBYTE * 1e9 / Math.max(1, end - start);
                }
                continue;
            }
            idle = 0;
            end = System.nanoTime();
            if (start == 0) {
                start = end;
            } else {
                bytes += count;
            }
        }
    }
}
