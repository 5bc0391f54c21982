package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.soft.link.LinkFaults;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.AtomicEth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Deth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Reth;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets that no honest peer sends: each is dropped and counted, and valid traffic goes on. */
@Timeout(120)
class HostilePeerTest {

    private static final int PACKETS = 100_000;
    private static final int PEER_PORT = 6000;
    private static final long SEED = System.nanoTime();

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();
    private final TestNode node = TestNode.inMemory(network, 5001, LinkFaults.NONE, clock);
    private final Icrc icrc = new Icrc();
    private final PacketBuffer packet = new PacketBuffer();
    private final SplittableRandom random = new SplittableRandom(SEED);

    HostilePeerTest() {
        System.out.println("HostilePeerTest seed " + SEED);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void inject() {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(0, bytes);
        network.inject(5001, TestNode.LOOPBACK_IP, PEER_PORT, bytes);
        node.progress();
    }

    private void injectWithIcrc(int length) {
        packet.length(length);
        icrc.write(packet, TestNode.LOOPBACK_IP, PEER_PORT, TestNode.LOOPBACK_IP, 5001);
        inject();
    }

    private void randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        packet.length(PacketBuffer.CAPACITY);
        packet.bytes().put(0, bytes);
        packet.length(length);
    }

    @Test
    void shouldDropRandomBytes() {
        QueuePair qp = node.datagrams();
        for (int i = 0; i < PACKETS; i++) {
            randomBytes(random.nextInt(200));
            inject();
        }
        assertThat(node.counters().received()).isEqualTo(PACKETS);
        assertThat(node.counters().dropped()).as("seed %d", SEED).isEqualTo(PACKETS);
        assertThat(node.counters().dropped(DropReason.MALFORMED)).isPositive();
        assertThat(node.counters().dropped(DropReason.UNKNOWN_VERSION)).isPositive();
        assertThat(node.counters().dropped(DropReason.WRONG_PKEY)).isPositive();
        assertThat(node.next()).isNull();
        assertStillWorks(qp);
    }

    /** Right ICRC, live queue pairs, everything else by chance: nothing may be thrown, no memory touched. */
    @Test
    void shouldSurviveValidLookingPackets() {
        QueuePair datagrams = node.datagrams();
        MemoryRegion memory = node.register(8192, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        MemoryRegion untouchable = Pair.everythingAllowed(node, 8192);
        untouchable.segment().fill((byte) 0x5A);
        QueuePair connection = connect();
        QueuePair unreliable = connectUnreliable();
        for (int i = 0; i < PACKETS; i++) {
            if (connection.queryState() == QueuePairState.ERR) {
                connection.close();
                connection = connect();
                node.read(connection, 9, memory, 0, 8192, 0, 0);
                node.message(connection, 9, SendOpcode.SEND, memory, 0, 8192, TestNode.Remote.NONE);
                node.fetchAndAdd(connection, 9, memory, 0, TestNode.Remote.NONE, 1);
                node.receive(connection, 8, memory, 0, random.nextInt(8192));
            }
            node.receive(unreliable, 8, memory, 0, 100);
            QueuePair[] live = {datagrams, connection, connection, unreliable};
            hostilePacket(live[random.nextInt(live.length)].number());
            clock.advanceMicros(random.nextInt(100));
        }
        assertThat(node.counters().received()).isGreaterThanOrEqualTo(PACKETS);
        for (DropReason reason : new DropReason[] {
            DropReason.MALFORMED,
            DropReason.WRONG_OPCODE,
            DropReason.WRONG_QKEY,
            DropReason.NO_RECEIVE,
            DropReason.STALE_RESPONSE,
            DropReason.EARLY_REQUEST,
            DropReason.STALE_REQUEST,
            DropReason.REPEATED_REQUEST,
            DropReason.IDLE_ACKNOWLEDGE,
            DropReason.INCOMPLETE_MESSAGE,
            DropReason.REFUSED_MESSAGE
        }) {
            assertThat(node.counters().dropped(reason))
                    .as("%s, seed %d", reason, SEED)
                    .isPositive();
        }
        while (node.next() != null) {
            // What was posted on connections that the stranger ended, and what it sent.
        }
        assertThat(unreliable.queryState()).as("nobody ends it").isEqualTo(QueuePairState.RTS);
        assertThat(untouchable.segment().asByteBuffer().mismatch(filled(8192, 0x5A)))
                .as("seed %d", SEED)
                .isEqualTo(-1);
        assertStillWorks(datagrams);
    }

    private static ByteBuffer filled(int bytes, int value) {
        byte[] array = new byte[bytes];
        Arrays.fill(array, (byte) value);
        return ByteBuffer.wrap(array);
    }

    private QueuePair connectUnreliable() {
        QueuePair qp = node.create(QueuePairType.UC);
        node.connect(qp, node, 77, 2000, 1000);
        return qp;
    }

    private QueuePair connect() {
        QueuePair qp = node.create(QueuePairType.RC);
        qp.modify(node.toInit(node.remoteAccess));
        qp.modify(node.toRtr(node, 77, 1000));
        qp.modify(node.toRts(2000));
        return qp;
    }

    private void hostilePacket(int qpn) {
        int[] opcodes = {
            Opcode.UD_SEND_ONLY,
            Opcode.UD_SEND_ONLY_IMMEDIATE,
            random.nextInt(Opcode.RC_READ_REQUEST),
            Opcode.UC + random.nextInt(Opcode.RC_READ_REQUEST),
            Opcode.RC_READ_REQUEST + random.nextInt(9),
            Opcode.RC_ACKNOWLEDGE,
            random.nextInt(256)
        };
        int opcode = opcodes[random.nextInt(opcodes.length)];
        int length = 16 + 4 * random.nextInt(random.nextInt(10) == 0 ? 1020 : 12);
        randomBytes(length);
        int base = random.nextBoolean() ? 1000 : 2000;
        int psn = random.nextBoolean() ? base + random.nextInt(-3, 4) : random.nextInt();
        Bth.write(packet.bytes(), opcode, random.nextInt(4), qpn, psn, random.nextBoolean());
        packet.length(PacketBuffer.CAPACITY);
        if (opcode == Opcode.UD_SEND_ONLY && random.nextBoolean()) {
            Deth.write(packet.bytes(), TestNode.QKEY, random.nextInt());
        } else if (Opcode.isAtomic(opcode) && random.nextInt(8) > 0) {
            length = 44;
            Bth.write(packet.bytes(), opcode, 0, qpn, psn, true);
            AtomicEth.write(
                    packet.bytes(), random.nextLong() & -8, random.nextInt(), random.nextLong(), random.nextLong());
        } else if (Opcode.isWrite(Opcode.operation(opcode)) && random.nextBoolean()) {
            length = 32;
            Bth.write(packet.bytes(), opcode, 0, qpn, psn, true);
            Reth.write(packet.bytes(), random.nextLong(), random.nextInt(), random.nextInt(2) * random.nextInt(9000));
        } else if (opcode == Opcode.RC_READ_REQUEST && random.nextInt(8) > 0) {
            length = 32;
            Bth.write(packet.bytes(), opcode, 0, qpn, psn, true);
            Reth.write(packet.bytes(), random.nextLong(), random.nextInt(), random.nextInt(3) * random.nextInt());
        } else if (opcode == Opcode.RC_ACKNOWLEDGE && random.nextInt(8) > 0) {
            length = 20;
            Aeth.write(
                    packet.bytes(),
                    random.nextBoolean()
                            ? (random.nextBoolean() ? 0x60 : Aeth.RNR) + random.nextInt(5)
                            : random.nextInt(256),
                    1);
        }
        injectWithIcrc(length);
    }

    @Test
    void whenSourceIsAnotherHostThenConnectionIgnoresIt() {
        QueuePair qp = connect();
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qp.number(), 1000, true);
        Reth.write(packet.bytes(), 0, 0, 0);
        packet.length(32);
        int stranger = TestNode.LOOPBACK_IP + 1;
        icrc.write(packet, stranger, PEER_PORT, TestNode.LOOPBACK_IP, 5001);
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(0, bytes);
        network.inject(5001, stranger, PEER_PORT, bytes);
        node.progress();
        assertThat(node.counters().dropped(DropReason.WRONG_SOURCE)).isEqualTo(1);
        assertThat(node.counters().sent()).isZero();
    }

    @Test
    void whenIcrcIsWrongThenDrops() {
        QueuePair qp = node.datagrams();
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), Opcode.UD_SEND_ONLY, 0, qp.number(), 1000, true);
        packet.length(64);
        inject();
        assertThat(node.counters().dropped(DropReason.WRONG_ICRC)).isEqualTo(1);
    }

    @Test
    void whenPeerSendsAnUnknownOperationThenItIsRefusedAndTheConnectionEnds() {
        QueuePair qp = connect();
        packet.length(PacketBuffer.CAPACITY);
        int sendOnlyWithInvalidate = 0x17;
        Bth.write(packet.bytes(), sendOnlyWithInvalidate, 0, qp.number(), 1000, true);
        injectWithIcrc(64);
        assertThat(node.counters().sent()).isEqualTo(1);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
    }

    /** The peer may write 8 bytes and sends more, or fewer, than it says. */
    @ParameterizedTest
    @ValueSource(ints = {4, 12, 4096})
    void whenAWriteIsNotAsLongAsItSaysThenItIsRefusedAndNothingIsWritten(int payload) {
        QueuePair qp = connect();
        MemoryRegion memory = Pair.everythingAllowed(node, 8192);
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), Opcode.WRITE_ONLY, 0, qp.number(), 1000, true);
        Reth.write(packet.bytes(), memory.address(), memory.rkey(), 8);
        packet.bytes().put(Bth.BYTES + Reth.BYTES, (byte) 0x77);
        injectWithIcrc(Bth.BYTES + Reth.BYTES + payload + Icrc.BYTES);
        assertThat(node.counters().sent()).isEqualTo(1);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
    }

    /** First and last packets out of order: 9.7.4.1.2, opcode sequence. */
    @ParameterizedTest
    @ValueSource(ints = {Opcode.SEND_MIDDLE, Opcode.SEND_LAST, Opcode.WRITE_LAST, Opcode.WRITE_LAST_IMMEDIATE})
    void whenAMessageHasNoBeginningThenItIsRefused(int opcode) {
        QueuePair qp = connect();
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), opcode, 0, qp.number(), 1000, true);
        injectWithIcrc(Bth.BYTES + 4096 + Icrc.BYTES);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Opcode.SEND_ONLY,
                Opcode.WRITE_MIDDLE,
                Opcode.WRITE_ONLY,
                Opcode.RC_READ_REQUEST,
                Opcode.RC_FETCH_ADD
            })
    void whenAMessageIsInterruptedThenItIsRefused(int opcode) {
        QueuePair qp = connect();
        MemoryRegion memory = Pair.everythingAllowed(node, 8192);
        node.receive(qp, 1, memory, 0, 8192);
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), Opcode.SEND_FIRST, 0, qp.number(), 1000, false);
        injectWithIcrc(Bth.BYTES + 4096 + Icrc.BYTES);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RTS);
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), opcode, 0, qp.number(), 1001, true);
        Reth.write(packet.bytes(), memory.address(), memory.rkey(), 0);
        boolean isAtomic = Opcode.isAtomic(opcode);
        boolean isMiddle = opcode == Opcode.WRITE_MIDDLE;
        injectWithIcrc(Bth.BYTES + (isAtomic ? 28 : isMiddle ? 4096 : Reth.BYTES) + Icrc.BYTES);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
        assertThat(node.next().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    private void assertStillWorks(QueuePair qp) {
        MemoryRegion memory = node.register(200, AccessFlag.LOCAL_WRITE);
        node.receive(qp, 1, memory, 0, 200);
        node.send(qp, 2, memory, 8, node.handleTo(node), qp.number(), TestNode.QKEY);
        assertThat(node.next().wrId()).isEqualTo(2);
        assertThat(node.next().wrId()).isEqualTo(1);
    }

    @Test
    void shouldDropRandomDatagramsOfAnyLength() throws IOException {
        try (TestNode real = TestNode.overUdp(LinkFaults.NONE);
                DatagramSocket stranger = new DatagramSocket(0, TestNode.LOOPBACK)) {
            for (int i = 0; i < 2000; i++) {
                byte[] bytes = new byte[random.nextInt(20) == 0 ? random.nextInt(60_000) : random.nextInt(5000)];
                random.nextBytes(bytes);
                stranger.send(new DatagramPacket(bytes, bytes.length, TestNode.LOOPBACK, real.port()));
                real.progress();
            }
            while (real.counters().received() < 2000) {
                real.progress();
            }
            assertThat(real.counters().dropped()).as("seed %d", SEED).isEqualTo(2000);
        }
    }
}
