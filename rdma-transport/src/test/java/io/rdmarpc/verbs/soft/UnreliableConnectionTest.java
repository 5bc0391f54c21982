package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEND and WRITE over an unreliable connection: a message arrives completely or not at all. */
@Timeout(60)
class UnreliableConnectionTest {

    private static final int SIZE = 1 << 21;
    private static final long SEED = System.nanoTime();

    private static Pair pair(LinkFaults faults) {
        return Pair.with(faults, SIZE).connect(QueuePairType.UC);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 4097, 65_536, 1 << 20})
    void whenNothingIsLostThenMessagesArrive(int length) {
        try (Pair pair = pair(LinkFaults.NONE)) {
            for (int opcode = SendOpcode.RDMA_WRITE; opcode <= SendOpcode.SEND_WITH_IMM; opcode++) {
                pair.ofB.segment().fill((byte) 0);
                boolean isWrite = opcode <= SendOpcode.RDMA_WRITE_WITH_IMM;
                if (opcode != SendOpcode.RDMA_WRITE) {
                    pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, length);
                }
                pair.a.message(pair.qpOfA, opcode, opcode, pair.ofA, 0, length, Remote.of(pair.ofB, 0));
                TestNode.Completion sent = pair.awaitA();
                assertThat(sent.status()).isZero();
                assertThat(sent.opcode()).isEqualTo(isWrite ? CompletionOpcode.RDMA_WRITE : CompletionOpcode.SEND);
                if (opcode != SendOpcode.RDMA_WRITE) {
                    TestNode.Completion received = pair.awaitB();
                    assertThat(received.byteLength()).isEqualTo(length);
                    assertThat(received.opcode())
                            .isEqualTo(isWrite ? CompletionOpcode.RECV_RDMA_WITH_IMM : CompletionOpcode.RECV);
                    assertThat(received.immediate())
                            .isEqualTo(opcode == SendOpcode.SEND ? 0 : TestNode.immediateOf(opcode));
                } else {
                    pair.run(10_000);
                }
                assertThat(MemorySegment.mismatch(pair.ofB.segment(), 0, length, pair.ofA.segment(), 0, length))
                        .isEqualTo(-1);
            }
            assertThat(pair.b.counters().sent()).as("no responses").isZero();
            assertThat(pair.b.counters().dropped()).isZero();
        }
    }

    /** Some of 300 messages of 1 to 12 packets are lost; the others arrive completely, in order and once. */
    @Test
    void shouldLoseWholeMessagesOnly() {
        System.out.println("UnreliableConnectionTest seed " + SEED);
        LinkFaults faults = new LinkFaults(0.03, 0.03, 0.03, 0, 0.03, LinkFaults.DEFAULT_DELAY_NANOS, SEED);
        try (Pair pair = pair(faults)) {
            long last = -1;
            int received = 0;
            for (int slot = 0; slot < 16; slot++) {
                pair.b.receive(pair.qpOfB, slot, pair.ofB, slot * 65_536L, 65_536);
            }
            for (int i = 0; i < 300; i++) {
                int length = 8 + i % 12 * 4096;
                for (long at = 0; at < length; at += 8) {
                    pair.ofA.segment().set(ValueLayout.JAVA_LONG, at, i * 1_000_000L + at);
                }
                pair.a.message(pair.qpOfA, i, SendOpcode.SEND_WITH_IMM, pair.ofA, 0, length, Remote.NONE);
                assertThat(pair.awaitA().status()).isZero();
                TestNode.Completion completion = pair.b.next();
                while (completion != null) {
                    received++;
                    assertThat(completion.status()).isZero();
                    long slot = completion.wrId();
                    MemorySegment message = pair.ofB.segment().asSlice(slot * 65_536, 65_536);
                    long which = message.get(ValueLayout.JAVA_LONG, 0) / 1_000_000;
                    assertThat(which).as("seed %d", SEED).isGreaterThan(last);
                    assertThat(completion.immediate()).isEqualTo(TestNode.immediateOf(which));
                    assertThat(completion.byteLength()).isEqualTo(8 + (int) which % 12 * 4096);
                    for (long at = 0; at < completion.byteLength(); at += 8) {
                        assertThat(message.get(ValueLayout.JAVA_LONG, at)).isEqualTo(which * 1_000_000L + at);
                    }
                    pair.b.receive(pair.qpOfB, slot, pair.ofB, slot * 65_536, 65_536);
                    last = which;
                    completion = pair.b.next();
                }
            }
            assertThat(received).as("seed %d", SEED).isBetween(100, 290);
            assertThat(pair.b.counters().dropped(DropReason.INCOMPLETE_MESSAGE)).isPositive();
        }
    }

    @Test
    void whenNoReceiveIsPostedThenTheMessageIsLostAndTheNextOneIsNot() {
        try (Pair pair = pair(LinkFaults.NONE)) {
            pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, pair.ofA, 0, 10_000, Remote.NONE);
            pair.run(1000);
            assertThat(pair.b.counters().dropped(DropReason.NO_RECEIVE)).isEqualTo(1);
            assertThat(pair.b.counters().dropped(DropReason.INCOMPLETE_MESSAGE)).isEqualTo(2);
            pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, 10_000);
            pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, pair.ofA, 0, 10_000, Remote.NONE);
            assertThat(pair.awaitB().wrId()).isEqualTo(7);
        }
    }

    @Test
    void whenMessageIsTooLongThenItIsLostAndItsReceiveHoldsTheNextOne() {
        try (Pair pair = pair(LinkFaults.NONE)) {
            pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, 5000);
            pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, pair.ofA, 0, 10_000, Remote.NONE);
            pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, pair.ofA, 9, 5000, Remote.NONE);
            TestNode.Completion received = pair.awaitB();
            assertThat(received.wrId()).isEqualTo(7);
            assertThat(received.byteLength()).isEqualTo(5000);
            assertThat(MemorySegment.mismatch(pair.ofB.segment(), 0, 5000, pair.ofA.segment(), 9, 5009))
                    .isEqualTo(-1);
            assertThat(pair.b.counters().dropped(DropReason.RECEIVE_TOO_SHORT)).isEqualTo(1);
        }
    }

    @Test
    void whenWriteIsForbiddenThenItIsDroppedAndTheConnectionContinues() {
        try (Pair pair = pair(LinkFaults.NONE)) {
            MemoryRegion readable = pair.b.register(100, AccessFlag.REMOTE_READ);
            pair.a.message(pair.qpOfA, 1, SendOpcode.RDMA_WRITE, pair.ofA, 0, 8, Remote.of(readable, 0));
            pair.a.message(pair.qpOfA, 2, SendOpcode.RDMA_WRITE, pair.ofA, 0, 8, Remote.of(pair.ofB, SIZE - 7));
            pair.qpOfB.modify(new QueuePairAttributes().accessFlags(AccessFlag.REMOTE_WRITE.bit()));
            pair.run(1000);
            assertThat(pair.b.counters().dropped(DropReason.REJECTED_MESSAGE)).isEqualTo(2);
            assertThat(pair.qpOfB.queryState()).isEqualTo(QueuePairState.RTS);
        }
    }

    @Test
    void whenLocalMemoryIsForbiddenThenSendsStopAndReceivesContinue() {
        try (Pair pair = pair(LinkFaults.NONE)) {
            MemoryRegion gone = pair.a.register(100);
            pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, gone, 0, 100, Remote.NONE);
            gone.close();
            assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
            assertThat(pair.qpOfA.queryState()).isEqualTo(QueuePairState.SQE);
            pair.a.receive(pair.qpOfA, 7, pair.ofA, 0, 100);
            pair.b.message(pair.qpOfB, 1, SendOpcode.SEND, pair.ofB, 0, 100, Remote.NONE);
            assertThat(pair.awaitA().wrId()).isEqualTo(7);
            pair.qpOfA.modify(new QueuePairAttributes().state(QueuePairState.RTS));
            pair.b.receive(pair.qpOfB, 8, pair.ofB, 0, 100);
            pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, pair.ofA, 0, 100, Remote.NONE);
            pair.awaitB();
            assertThat(pair.awaitA().wrId()).isEqualTo(2);
        }
    }

    @Test
    void whenReadOrAtomicIsPostedThenReportsNotSupported() {
        try (Pair pair = pair(LinkFaults.NONE)) {
            assertThat(pair.a.read(pair.qpOfA, 1, pair.ofA, 0, 8, 0, 0)).isEqualTo(Errno.EOPNOTSUPP);
            assertThat(pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, Remote.NONE, 1))
                    .isEqualTo(Errno.EOPNOTSUPP);
        }
    }
}
