package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEND and RDMA WRITE over a reliable connection, under all faults of the network. */
@Timeout(120)
class MessageTest {

    private static final int MTU = 4096;
    private static final int MIB = 1 << 20;
    private static final int GUARD = 64;
    private static final long SEED = System.nanoTime();

    private static final List<Integer> OPCODES =
            List.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM);

    private static LinkFaults faults(double loss, double duplicate, double reorder, double corrupt) {
        return new LinkFaults(loss, duplicate, reorder, 0, corrupt, LinkFaults.DEFAULT_DELAY_NANOS, SEED);
    }

    static Stream<Arguments> opcodesLengthsAndFaults() {
        System.out.println("MessageTest seed " + SEED);
        List<LinkFaults> faults = List.of(
                LinkFaults.NONE,
                faults(0.1, 0, 0, 0),
                faults(0, 0.1, 0, 0),
                faults(0, 0, 0.1, 0),
                faults(0.05, 0.05, 0.05, 0.05));
        return OPCODES.stream()
                .flatMap(opcode -> Stream.of(0, 1, MTU - 1, MTU, MTU + 1, 64 << 10, MIB)
                        .flatMap(length -> faults.stream().map(fault -> Arguments.of(opcode, length, fault))));
    }

    private static boolean isWrite(int opcode) {
        return opcode == SendOpcode.RDMA_WRITE || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    }

    private static boolean hasImmediate(int opcode) {
        return opcode == SendOpcode.SEND_WITH_IMM || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    }

    @ParameterizedTest
    @MethodSource("opcodesLengthsAndFaults")
    void shouldDeliverExactlyTheBytesOfTheMessage(int opcode, int length, LinkFaults faults) {
        try (Pair pair = Pair.with(faults, length + 2 * GUARD).connect()) {
            checkOneMessage(pair, opcode, length);
        }
    }

    @ParameterizedTest
    @EnumSource(PathMtu.class)
    void shouldSegmentByThePathMtu(PathMtu mtu) {
        for (int opcode : OPCODES) {
            try (Pair pair = Pair.with(faults(0.02, 0, 0, 0), 100_000)) {
                pair.a.mtu = mtu;
                pair.b.mtu = mtu;
                pair.connect();
                checkOneMessage(pair, opcode, 77_777);
            }
        }
    }

    private static void checkOneMessage(Pair pair, int opcode, int length) {
        MemorySegment before =
                pair.b.arena.allocate(pair.ofB.segment().byteSize()).copyFrom(pair.ofB.segment());
        pair.b.receive(pair.qpOfB, 77, pair.ofB, GUARD, length);
        assertThat(pair.a.message(pair.qpOfA, 42, opcode, pair.ofA, 3, length, Remote.of(pair.ofB, GUARD)))
                .isZero();
        TestNode.Completion sent = pair.awaitA();
        assertThat(Pair.status(sent)).as("seed %d", SEED).isEqualTo("SUCCESS (0)");
        assertThat(sent.wrId()).isEqualTo(42);
        assertThat(sent.opcode()).isEqualTo(isWrite(opcode) ? CompletionOpcode.RDMA_WRITE : CompletionOpcode.SEND);
        if (opcode != SendOpcode.RDMA_WRITE) {
            checkReceived(pair.awaitB(), opcode, length, pair.qpOfB.number());
        }
        assertThat(pair.b.next()).isNull();
        MemorySegment after = pair.ofB.segment();
        assertThat(MemorySegment.mismatch(after, GUARD, GUARD + length, pair.ofA.segment(), 3, 3 + length))
                .isEqualTo(-1);
        assertThat(MemorySegment.mismatch(after, 0, GUARD, before, 0, GUARD)).isEqualTo(-1);
        assertThat(MemorySegment.mismatch(
                        after, GUARD + length, after.byteSize(), before, GUARD + length, after.byteSize()))
                .isEqualTo(-1);
        assertThat(pair.a.context.rnic().sendWindow().usedBytes()).isZero();
    }

    private static void checkReceived(TestNode.Completion received, int opcode, int length, int qpn) {
        assertThat(Pair.status(received)).isEqualTo("SUCCESS (0)");
        assertThat(received.wrId()).isEqualTo(77);
        assertThat(received.opcode())
                .isEqualTo(isWrite(opcode) ? CompletionOpcode.RECV_RDMA_WITH_IMM : CompletionOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(length);
        assertThat(received.qpn()).isEqualTo(qpn);
        assertThat(received.flags()).isEqualTo(hasImmediate(opcode) ? WorkCompletions.FLAG_WITH_IMM : 0);
        if (hasImmediate(opcode)) {
            assertThat(received.immediate()).isEqualTo(TestNode.immediateOf(42));
        }
    }

    @Test
    void shouldGatherAndKeepReceivesInOrder() {
        try (Pair pair = Pair.with(LinkFaults.NONE, 100_000).connect()) {
            for (int i = 0; i < 3; i++) {
                pair.b.receive(pair.qpOfB, i, pair.ofB, i * 10_000L, 10_000);
                pair.a.sends.set(i, i, SendOpcode.SEND, i == 2 ? SendFlags.SIGNALED : 0, 3);
                pair.a.sends.setSge(i, 0, pair.ofA.address() + i, 5000, pair.ofA.lkey());
                pair.a.sends.setSge(i, 1, 0, 0, 0);
                pair.a.sends.setSge(i, 2, pair.ofA.address() + 50_000 + i, 4000, pair.ofA.lkey());
            }
            pair.a.sends.chain(0, 3);
            assertThat(pair.qpOfA.postSend(pair.a.sends, 0)).isZero();
            assertThat(pair.awaitA().wrId()).isEqualTo(2);
            assertThat(pair.a.next()).as("not signaled").isNull();
            for (int i = 0; i < 3; i++) {
                TestNode.Completion received = pair.awaitB();
                assertThat(received.wrId()).isEqualTo(i);
                assertThat(received.byteLength()).isEqualTo(9000);
                long at = i * 10_000L;
                assertThat(MemorySegment.mismatch(pair.ofB.segment(), at, at + 5000, pair.ofA.segment(), i, i + 5000))
                        .isEqualTo(-1);
                assertThat(MemorySegment.mismatch(
                                pair.ofB.segment(), at + 5000, at + 9000, pair.ofA.segment(), 50_000 + i, 54_000 + i))
                        .isEqualTo(-1);
            }
        }
    }

    /** One acknowledgment covers many packets. */
    @Test
    void shouldCoalesceAcknowledgements() {
        try (Pair pair = Pair.with(LinkFaults.NONE, 4 * MIB).connect()) {
            pair.b.receive(pair.qpOfB, 1, pair.ofB, 0, 4 * MIB);
            pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, pair.ofA, 0, 4 * MIB, Remote.of(pair.ofB, 0));
            assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
            assertThat(pair.a.counters().retries()).isZero();
            assertThat(pair.b.counters().received()).isEqualTo(4 * MIB / MTU);
            assertThat(pair.b.counters().sent()).isLessThan(4 * MIB / MTU / 8);
        }
    }

    /** A fenced request waits for the READ before it, so the READ must not return the data of the WRITE. */
    @Test
    void whenFencedThenWaitsForEarlierReads() {
        try (Pair pair = Pair.with(LinkFaults.NONE, MIB).connect()) {
            int length = 100_000;
            MemorySegment old =
                    pair.b.arena.allocate(length).copyFrom(pair.ofB.segment().asSlice(0, length));
            pair.a.sends.set(0, 1, SendOpcode.RDMA_READ, 0, 1);
            pair.a.sends.setSge(0, 0, pair.ofA.address() + 500_000, length, pair.ofA.lkey());
            pair.a.sends.setRemote(0, pair.ofB.address(), pair.ofB.rkey());
            pair.a.sends.set(1, 2, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED | SendFlags.FENCE, 1);
            pair.a.sends.setSge(1, 0, pair.ofA.address(), length, pair.ofA.lkey());
            pair.a.sends.setRemote(1, pair.ofB.address(), pair.ofB.rkey());
            pair.a.sends.chain(0, 2);
            assertThat(pair.qpOfA.postSend(pair.a.sends, 0)).isZero();
            assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
            assertThat(pair.ofA.segment().asSlice(500_000, length).mismatch(old))
                    .isEqualTo(-1);
            assertThat(pair.ofB
                            .segment()
                            .asSlice(0, length)
                            .mismatch(pair.ofA.segment().asSlice(0, length)))
                    .isEqualTo(-1);
        }
    }

    /** With 1 MiB of link buffers one queue pair has at most 256 KiB in flight. */
    @Test
    void shouldLimitTheBytesInFlight() {
        try (Pair pair = Pair.with(LinkFaults.NONE, 4 * MIB).connect()) {
            pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, pair.ofA, 0, 4 * MIB, Remote.of(pair.ofB, 0));
            for (int i = 0; i < 100; i++) {
                pair.a.progress();
            }
            assertThat(pair.a.counters().sent()).isEqualTo((256 << 10) / MTU);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.1})
    void shouldSendOverUdp(double loss) throws IOException {
        System.out.println("MessageTest seed " + SEED);
        try (TestNode a = TestNode.overUdp(LinkFaults.loss(loss, SEED));
                TestNode b = TestNode.overUdp(LinkFaults.loss(loss, SEED + 1))) {
            var qpOfA = a.create(QueuePairType.RC);
            var qpOfB = b.create(QueuePairType.RC);
            TestNode.connect(a, qpOfA, b, qpOfB);
            MemoryRegion ofA = Pair.everythingAllowed(a, 16 * MIB);
            MemoryRegion ofB = Pair.everythingAllowed(b, 16 * MIB);
            Pair.fill(ofA.segment(), SEED);
            for (int opcode : OPCODES) {
                ofB.segment().fill((byte) 0);
                if (opcode != SendOpcode.RDMA_WRITE) {
                    b.receive(qpOfB, 77, ofB, 0, 16 * MIB);
                }
                long start = System.nanoTime();
                a.message(qpOfA, 42, opcode, ofA, 0, 16 * MIB, Remote.of(ofB, 0));
                TestNode.Completion sent = awaitBoth(a, b);
                System.out.printf(
                        "%s of 16 MiB over UDP, loss %.2f: %.1f MB/s %s%n",
                        SendOpcode.name(opcode), loss, 16e3 * MIB / (System.nanoTime() - start), a.counters());
                assertThat(Pair.status(sent)).as("seed %d", SEED).isEqualTo("SUCCESS (0)");
                if (opcode != SendOpcode.RDMA_WRITE) {
                    checkReceived(awaitBoth(b, a), opcode, 16 * MIB, qpOfB.number());
                }
                assertThat(ofA.segment().mismatch(ofB.segment())).isEqualTo(-1);
            }
        }
    }

    private static TestNode.Completion awaitBoth(TestNode of, TestNode other) {
        while (true) {
            TestNode.Completion completion = of.next();
            if (completion != null) {
                return completion;
            }
            other.progress();
        }
    }
}
