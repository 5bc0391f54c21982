package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import picocli.CommandLine.Command;

/** Round trips of a 32-byte datagram through the JDK's channels, which both ends poll. */
@Command(
        name = "datagram-ping-pong",
        description = "half a round trip of 32 B over loopback UDP by DatagramChannel, busy polling",
        mixinStandardHelpOptions = true)
final class DatagramPingPong extends TwoProcessProbe {

    private static final int BYTES = 32;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("datagram");

    DatagramPingPong() {
        super("us", 30_000);
    }

    @Override
    void first(Arena arena, ChildProcess peer) throws Exception {
        try (DatagramChannel channel = DatagramEnd.first(peer)) {
            print(
                    peer,
                    () -> ProbeRoundTrips.halfMicros(iterations(), () -> {
                        send(channel);
                        receive(channel);
                    }));
        }
    }

    @Override
    void second(Arena arena, ProbeRequests requests) throws IOException, InterruptedException {
        try (DatagramChannel channel = DatagramEnd.second(requests)) {
            while (true) {
                for (int left = ProbeRoundTrips.whole(awaitRun(requests)); left > 0; left--) {
                    receive(channel);
                    send(channel);
                }
            }
        }
    }

    private void send(DatagramChannel channel) throws IOException {
        buffer.clear();
        while (channel.write(buffer) == 0) {
            pollTimeout.check();
        }
        pollTimeout.reset();
    }

    private void receive(DatagramChannel channel) throws IOException {
        buffer.clear();
        while (channel.read(buffer) == 0) {
            pollTimeout.check();
        }
        pollTimeout.reset();
    }
}
