package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_GID;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_QPN;
import static io.rdmarpc.rpc.engine.EngineRig.RING;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.net.Inet4Address;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid packets: each check counts and drops them, and releases the ring entry. Valid packets are not affected. */
class PacketDispatcherTest {

    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ServerSession server = rig.server();
    private final ClientSession client = rig.client();
    private final Packet request = Packet.request(server, FIRST, ECHO, HELLO);

    @AfterEach
    void close() {
        rig.close();
    }

    private void receive(byte[] packet, int qpn, Gid gid) {
        rig.nic.receive(packet, qpn, gid);
        rig.runLoop();
    }

    private void expectDrop(Drop reason) {
        assertThat(rig.dropped(reason)).isOne();
        assertThat(rig.droppedInAll()).isOne();
        assertThat(rig.sent()).isEmpty();
        assertThat(rig.nic.postedReceives())
                .as("the ring entry is posted again")
                .isEqualTo(RING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31})
    @DisplayName("LO-12 shorter than a header")
    void whenAPacketIsShorterThanAHeaderThenItIsDropped(int length) {
        rig.receive(Arrays.copyOf(request.bytes(), length));

        expectDrop(Drop.SHORT);
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 39})
    @DisplayName("LO-12 shorter than its flags require")
    void whenAPacketIsShorterThanItsFlagsSayThenItIsDropped(int length) {
        rig.receive(Arrays.copyOf(request.bytes(), length));

        expectDrop(Drop.SHORT);
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 2, -1})
    @DisplayName("LO-12 another version")
    void whenTheVersionIsAnotherThenThePacketIsDropped(byte version) {
        byte[] packet = request.bytes();
        packet[0] = version;
        rig.receive(packet);

        expectDrop(Drop.VERSION);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 127, 128, 255})
    @DisplayName("LO-12 an unknown type")
    void whenTheTypeIsUnknownThenThePacketIsDropped(int type) {
        rig.receive(request.withType(type));

        expectDrop(Drop.TYPE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x80, 0xFF})
    @DisplayName("LO-12 an unknown flag")
    void whenAFlagIsUnknownThenThePacketIsDropped(int flags) {
        byte[] packet = request.bytes();
        packet[3] = (byte) flags;
        rig.receive(packet);

        expectDrop(Drop.TYPE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 0xFFFF, 0x1_0000, -1, Integer.MIN_VALUE})
    @DisplayName("LO-12 an unknown session")
    void whenTheSessionIsUnknownThenThePacketIsDropped(int offset) {
        rig.receive(request.withSession(server.id + offset));

        expectDrop(Drop.UNKNOWN_SESSION);
    }

    @Test
    @DisplayName("LO-12 the numbers of client and server sessions are independent")
    void whenARoleIsWrongThenTheCookieDoesNotFit() {
        assertThat(server.id).isEqualTo(client.id);

        rig.receive(Packet.response(server, FIRST, HELLO));

        expectDrop(Drop.COOKIE);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1L << 63})
    @DisplayName("LO-12 a wrong cookie")
    void whenTheCookieIsWrongThenThePacketIsDropped(long cookie) {
        rig.receive(request.withCookie(cookie));

        expectDrop(Drop.COOKIE);
    }

    @Test
    @DisplayName("LO-12 another queue pair as source")
    void whenTheSourceQueuePairIsAnotherThenThePacketIsDropped() {
        receive(request.bytes(), PEER_QPN + 1, PEER_GID);

        expectDrop(Drop.SOURCE);
    }

    @Test
    @DisplayName("LO-12 another host as source")
    void whenTheSourceGidIsAnotherThenThePacketIsDropped() {
        receive(request.bytes(), PEER_QPN, Gid.of(Inet4Address.ofLiteral("10.0.0.3")));

        expectDrop(Drop.SOURCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 12, -1, 1 << 20, Integer.MIN_VALUE, Integer.MAX_VALUE})
    @DisplayName("LO-12 a length other than the received one")
    void whenTheLengthIsNotTheReceivedOneThenThePacketIsDropped(int length) {
        rig.receive(request.withLength(length));

        expectDrop(Drop.LENGTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 15, 17, 32})
    @DisplayName("LO-12 an invalid READ descriptor")
    void whenTheDescriptorHasAnotherSizeThenThePacketIsDropped(int bytes) {
        rig.receive(Packet.request(server, FIRST, ECHO, new byte[bytes])
                .withType(PacketType.LARGE_REQUEST)
                .withLength(5000));

        expectDrop(Drop.LENGTH);
    }

    @Test
    @DisplayName("LO-12 a RELEASE or a PROGRESS with an unexpected payload has no effect")
    void whenAControlPacketHasAPayloadThenItHasNoEffect() {
        rig.receive(Packet.request(server, FIRST, ECHO, HELLO).withType(PacketType.RELEASE));
        rig.receive(Packet.response(client, WINDOW, HELLO).withType(PacketType.PROGRESS));

        assertThat(rig.droppedInAll()).isEqualTo(2);
        assertThat(rig.nic.postedReceives()).isEqualTo(RING);
    }

    @Test
    @DisplayName("LO-12 random packets that fill the ring ten times do not stall valid traffic")
    void whenRandomPacketsFloodTheRingThenValidPacketsAreStillHandled() {
        byte[][] garbage = {
            new byte[0],
            new byte[EngineRig.MTU],
            request.withType(9).bytes(),
            request.withSession(77).bytes(),
            request.withCookie(1).bytes(),
            request.withLength(1).bytes()
        };
        int good = 0;
        for (int i = 0; i < 10 * RING; i++) {
            for (int burst = 0; burst < RING - 1; burst++) {
                rig.nic.receive(garbage[burst % garbage.length], PEER_QPN, PEER_GID);
            }
            rig.receive(Packet.request(server, FIRST + (long) i * WINDOW, ECHO, HELLO));
            good += rig.sent().size();
        }

        assertThat(good).isEqualTo(10 * RING);
        assertThat(rig.nic.unreceived()).isZero();
        assertThat(rig.droppedInAll()).isEqualTo(10L * RING * (RING - 1));
    }

    @Test
    @DisplayName("LO-12 random packets never cause an exception of the loop or the loss of a ring entry")
    void whenPacketsAreRandomThenTheEngineContinues() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50_000; i++) {
            byte[] packet = new byte[random.nextInt(100)];
            random.nextBytes(packet);
            if (packet.length > 3 && random.nextBoolean()) {
                packet[0] = PacketHeader.VERSION;
                packet[1] = (byte) (1 + random.nextInt(6));
                packet[3] = (byte) random.nextInt(4);
            }
            rig.receive(packet);
        }

        // A packet may by chance contain several messages, each of which is dropped.
        assertThat(rig.droppedInAll()).as("seed %d", seed).isGreaterThanOrEqualTo(50_000);
        assertThat(rig.loop.gauges().statistics().requestsReceived())
                .as("seed %d", seed)
                .isZero();
        assertThat(rig.dropped(Drop.INTERNAL)).as("seed %d", seed).isZero();
        assertThat(rig.nic.postedReceives()).as("seed %d", seed).isEqualTo(RING);
        rig.receive(request);
        assertThat(rig.sent()).as("seed %d", seed).hasSize(1);
    }

    @Test
    @DisplayName("LO-12 a peer with the secret that sends random packets affects only itself")
    void whenAnAuthenticPeerSendsRandomPacketsThenTheEngineContinues() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        ServerSession wild = rig.server();
        rig.call(client, HELLO);
        for (int i = 0; i < 50_000; i++) {
            boolean atClient = random.nextBoolean();
            EngineSession victim = atClient ? client : wild;
            byte[] body = new byte[random.nextInt(3) == 0 ? 16 : random.nextInt(40)];
            random.nextBytes(body);
            rig.receive(Packet.request(victim, random.nextInt(-4, 40), random.nextInt(1, 4), body)
                    .withType(1 + random.nextInt(6))
                    .withFlags(random.nextInt(4))
                    .withStatus(random.nextInt(256))
                    .withRemainingMicros(random.nextLong(-10, 1_000_000)));
            if (random.nextInt(50) == 0) {
                rig.held.forEach(held -> held.message().close());
                rig.runLoop();
            }
        }
        rig.held.forEach(held -> held.message().close());
        rig.runLoop();

        assertThat(rig.dropped(Drop.INTERNAL)).as("seed %d", seed).isZero();
        assertThat(rig.nic.postedReceives()).as("seed %d", seed).isEqualTo(RING);
        rig.sent();
        rig.receive(request);
        assertThat(rig.onlySent().body()).as("seed %d", seed).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("FL-14 a failed receive amid a batch: the rest is processed, nothing is posted to the failed "
            + "queue pair")
    void whenAReceiveFailsThenTheRestOfTheBatchCounts() {
        rig.nic.receive(request.bytes(), PEER_QPN, PEER_GID);
        rig.nic.failReceive(CompletionStatus.WR_FLUSH_ERR);
        rig.nic.receive(Packet.request(server, FIRST + 1, ECHO, HELLO).bytes(), PEER_QPN, PEER_GID);
        rig.runCycle();

        assertThat(rig.loop.gauges().statistics().requestsReceived()).isEqualTo(2);
        assertThat(rig.nic.postedReceives()).isEqualTo(RING - 3);
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(RING);
    }

    @Test
    void shouldCountReceivedPackets() {
        rig.receive(request);
        rig.receive(new byte[5]);

        assertThat(rig.loop.gauges().statistics().packetsReceived()).isEqualTo(2);
        assertThat(rig.loop.gauges().statistics().bytesReceived()).isEqualTo(40 + HELLO.length + 5);
        assertThat(rig.loop.gauges().statistics().packetsSent()).isOne();
        assertThat(rig.loop.gauges().statistics().bytesSent()).isEqualTo(32 + HELLO.length);
    }
}
