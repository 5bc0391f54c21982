package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rc.RepeatLimit;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Reth;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single packets that no correct peer sends, and their effects. {@link HostileTrafficTest} sends millions of them. */
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

    private QueuePair connect() {
        QueuePair qp = node.create(QueuePairType.RC);
        qp.modify(node.toInit(node.remoteAccess));
        qp.modify(node.toRtr(node, 77, 1000));
        qp.modify(node.toRts(2000));
        return qp;
    }

    @Test
    void whenSourceIsAnotherHostThenConnectionIgnoresIt() {
        QueuePair qp = connect();
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qp.number(), 1000, true);
        Reth.write(packet.bytes(), 0, 0, 0);
        packet.length(32);
        int attacker = TestNode.LOOPBACK_IP + 1;
        icrc.write(packet, attacker, PEER_PORT, TestNode.LOOPBACK_IP, 5001);
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(0, bytes);
        network.inject(5001, attacker, PEER_PORT, bytes);
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
    void whenPeerSendsAnUnknownOperationThenItIsRejectedAndTheConnectionEnds() {
        QueuePair qp = connect();
        packet.length(PacketBuffer.CAPACITY);
        int sendOnlyWithInvalidate = 0x17;
        Bth.write(packet.bytes(), sendOnlyWithInvalidate, 0, qp.number(), 1000, true);
        injectWithIcrc(64);
        assertThat(node.counters().sent()).isEqualTo(1);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
    }

    private void read(QueuePair qp, int psn, long address, int rkey, int bytes) {
        packet.length(PacketBuffer.CAPACITY);
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qp.number(), psn, true);
        Reth.write(packet.bytes(), address, rkey, bytes);
        injectWithIcrc(Bth.BYTES + Reth.BYTES + Icrc.BYTES);
    }

    /** A READ of 0 bytes needs no key, and later READs with its PSN count as duplicates. */
    @Test
    void whenKeysAreGuessedByDuplicateReadsThenTheConnectionEnds() {
        QueuePair qp = connect();
        MemoryRegion memory = Pair.everythingAllowed(node, 8192);
        read(qp, 1000, 0, 0, 0);
        long answered = node.counters().sent();
        for (int guess = 0; guess < RepeatLimit.MAX_PER_PERIOD; guess++) {
            read(qp, 1000, memory.address(), memory.rkey() + 1 + guess, 8);
        }
        assertThat(node.counters().sent())
                .as("a late duplicate gets no response")
                .isEqualTo(answered);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RTS);
        read(qp, 1000, memory.address(), memory.rkey() - 1, 8);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void whenDuplicateReadsComeLateOverALongTimeThenTheConnectionSurvives() {
        QueuePair qp = connect();
        MemoryRegion memory = Pair.everythingAllowed(node, 8192);
        read(qp, 1000, memory.address(), memory.rkey(), 8);
        memory.close();
        for (int period = 0; period < 3; period++) {
            for (int i = 0; i < RepeatLimit.MAX_PER_PERIOD; i++) {
                read(qp, 1000, memory.address(), memory.rkey(), 8);
            }
            clock.advanceMicros(RepeatLimit.PERIOD_NANOS / 1000);
        }
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RTS);
        assertThat(node.counters().dropped(DropReason.STALE_REQUEST)).isEqualTo(3L * RepeatLimit.MAX_PER_PERIOD);
    }

    /** The peer may write 8 bytes, and sends more or fewer than the header announces. */
    @ParameterizedTest
    @ValueSource(ints = {4, 12, 4096})
    void whenAWriteHasAWrongLengthThenItIsRejectedAndNothingIsWritten(int payload) {
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
    void whenAMessageHasNoBeginningThenItIsRejected(int opcode) {
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
    void whenAMessageIsInterruptedThenItIsRejected(int opcode) {
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
                DatagramSocket attacker = new DatagramSocket(0, TestNode.LOOPBACK)) {
            for (int i = 0; i < 2000; i++) {
                byte[] bytes = new byte[random.nextInt(20) == 0 ? random.nextInt(60_000) : random.nextInt(5000)];
                random.nextBytes(bytes);
                attacker.send(new DatagramPacket(bytes, bytes.length, TestNode.LOOPBACK, real.port()));
                real.progress();
            }
            while (real.counters().received() < 2000) {
                real.progress();
            }
            assertThat(real.counters().dropped()).as("seed %d", SEED).isEqualTo(2000);
        }
    }
}
