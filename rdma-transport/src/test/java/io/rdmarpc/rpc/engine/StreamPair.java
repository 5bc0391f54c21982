package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.transport.FakeNic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A client's engine and a server's, each on a {@link FakeNic}, and a test network between them. The network loses,
 * duplicates and reorders packets according to a seed. Time advances for both in steps.
 *
 * <p>No control side replaces a session that an engine has ended. A network that loses one packet in five would exceed
 * a limit of 5 sends once in 160 exchanges. Both engines therefore use the default retransmission limit.
 */
final class StreamPair implements AutoCloseable {

    static final int STREAM = 7;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    final EngineRig client = EngineRig.patient();
    final EngineRig server = EngineRig.patient();
    final ClientSession calling = client.client();
    final ServerSession serving = server.server();
    final TestStream accepted = new TestStream();
    int serverCredits = 8;
    double loss;
    double duplicates;
    double reordered;
    SplittableRandom random = new SplittableRandom(1);
    /** Additional packets that are lost. */
    Predicate<Packet> lost = packet -> false;

    StreamPair() {
        client.connect(calling);
        server.connect(serving);
        server.serve(STREAM, this::accept, null);
    }

    private void accept(RpcRequest request) {
        accepted.stream = request.acceptStream(serverCredits, accepted);
    }

    TestStream open(int credits, Duration timeout) {
        TestStream opened = new TestStream();
        opened.stream = calling.openStream(STREAM, credits, timeout.toNanos(), opened);
        return opened;
    }

    TestStream open() {
        TestStream opened = open(8, Duration.ofMinutes(1));
        untilIdle();
        return opened;
    }

    /** Advances both by a millisecond, and delivers the packets they have sent. */
    void step() {
        client.pass(EngineRig.TICK);
        server.pass(EngineRig.TICK);
        carry(client, server, serving.id);
        carry(server, client, calling.id);
        fetch(server, client);
        fetch(client, server);
    }

    /** Advances without loss until both are idle for a while. */
    void untilIdle() {
        pass(Duration.ofMillis(10));
    }

    void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left--) {
            step();
        }
    }

    void until(BooleanSupplier condition) {
        for (int i = 0; i < 60_000 && !condition.getAsBoolean(); i++) {
            step();
            assertThat(client.hostOf(calling).broken).as("the client's session").isEmpty();
            assertThat(server.hostOf(serving).broken).as("the server's session").isEmpty();
        }
        assertThat(condition.getAsBoolean()).as("within a minute").isTrue();
    }

    private void carry(EngineRig from, EngineRig to, int session) {
        List<byte[]> arriving = new ArrayList<>();
        for (FakeNic.Datagram datagram : from.nic.takeSent()) {
            if (random.nextDouble() < loss || lost.test(Packet.of(datagram.bytes()))) {
                continue;
            }
            byte[] bytes = addressed(datagram.bytes(), session);
            int at = random.nextDouble() < reordered ? random.nextInt(arriving.size() + 1) : arriving.size();
            arriving.add(at, bytes);
            if (random.nextDouble() < duplicates) {
                arriving.add(bytes);
            }
        }
        for (byte[] bytes : arriving) {
            if (to.nic.postedReceives() > 0) {
                to.receive(bytes);
            }
        }
    }

    /** Sets the session number of a packet: each rig assumes that its peer's session has a number of the rig's. */
    private static byte[] addressed(byte[] datagram, int session) {
        byte[] bytes = datagram.clone();
        MemorySegment.ofArray(bytes).set(INT, 4, session);
        return bytes;
    }

    private static void fetch(EngineRig reader, EngineRig owner) {
        for (FakeNic.Read read : reader.nic.reads()) {
            byte[] bytes = owner.nic.remoteRead(read.remoteAddress(), read.length(), read.rkey());
            read.complete(bytes, read.remoteAddress());
        }
        reader.runLoop();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
