package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.probe.ffi.LoopbackSocket;
import io.rdmarpc.benchmarks.probe.ffi.MessageBatch;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;

/** Echoes of 32-byte datagrams, 16 per system call, by {@code sendmmsg} and {@code recvmmsg}. */
@Command(
        name = "mmsg-echo",
        description = "echoes of 32 B over loopback UDP by sendmmsg and recvmmsg, 16 per call: messages in each"
                + " direction",
        mixinStandardHelpOptions = true)
final class MessageBatchEcho extends TwoProcessProbe {

    private static final int BYTES = 32;
    private static final int BATCH = 16;

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("datagram");

    MessageBatchEcho() {
        super("M/s", 400_000);
    }

    @Override
    void first(Arena arena, ChildProcess peer) throws Exception {
        try (LoopbackSocket socket = LoopbackSocket.open(arena)) {
            peer.send(socket.port());
            socket.connect(Integer.parseInt(peer.line()));
            MessageBatch batch = new MessageBatch(arena, BATCH, BYTES);
            print(peer, () -> millionsPerSecond(socket, batch));
        }
    }

    private double millionsPerSecond(LoopbackSocket socket, MessageBatch batch) {
        int batches = batches(iterations());
        long start = System.nanoTime();
        for (int i = 0; i < batches; i++) {
            send(socket, batch, BATCH);
            for (int back = 0; back < BATCH; ) {
                back += receive(socket, batch);
            }
        }
        return batches * BATCH * 1e3 / (System.nanoTime() - start);
    }

    @Override
    void second(Arena arena, ProbeRequests requests) throws InterruptedException {
        try (LoopbackSocket socket = LoopbackSocket.open(arena)) {
            socket.connect(Integer.parseInt(requests.next()));
            requests.respond(socket.port());
            MessageBatch batch = new MessageBatch(arena, BATCH, BYTES);
            while (true) {
                for (int left = batches(awaitRun(requests)) * BATCH; left > 0; ) {
                    int count = receive(socket, batch);
                    send(socket, batch, count);
                    left -= count;
                }
            }
        }
    }

    private static int batches(int messages) {
        return Math.max(1, messages / BATCH);
    }

    private void send(LoopbackSocket socket, MessageBatch batch, int count) {
        for (int sent = 0; sent < count; ) {
            int taken = batch.send(socket.descriptor(), sent, count - sent);
            sent += Math.max(0, taken);
            pollTimeout.check();
        }
        pollTimeout.reset();
    }

    private int receive(LoopbackSocket socket, MessageBatch batch) {
        int count = batch.receive(socket.descriptor());
        while (count <= 0) {
            pollTimeout.check();
            count = batch.receive(socket.descriptor());
        }
        pollTimeout.reset();
        return count;
    }
}
