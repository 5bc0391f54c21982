package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertSame;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertZero;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static io.rdmarpc.verbs.suite.VerbsFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of all operations and lengths over connections: every byte arrives, and no other memory changes. */
abstract class MessageCases extends VerbsCases {

    private static final int GUARD = 64;
    private static final int IMMEDIATE = 0x8123_4567;

    MessageCases(SuiteProvider provider) {
        super(provider);
    }

    static List<Arguments> messages() {
        List<Arguments> all = new ArrayList<>();
        for (QueuePairType type : new QueuePairType[] {QueuePairType.RC, QueuePairType.UC}) {
            for (Size size : Size.values()) {
                all.add(Arguments.of(type, size));
            }
        }
        return all;
    }

    private Connection prepared(QueuePairType type, int length) {
        Connection pair = fixture.connection(type);
        fill(pair.local, AT - GUARD, length + 2 * GUARD, length);
        clear(pair.remote, AT - GUARD, length + 2 * GUARD);
        return pair;
    }

    private int length(QueuePairType type, Size size) {
        return size.bytes(fixture.connection(type).mtuBytes());
    }

    private static void assertCarried(Connection pair, int length) {
        assertSame(pair.local, AT, pair.remote, AT, length);
        assertZero(pair.remote, AT - GUARD, GUARD);
        assertZero(pair.remote, AT + length, GUARD);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("messages")
    void shouldSend(QueuePairType type, Size size) {
        int length = length(type, size);
        Connection pair = prepared(type, length);
        pair.receive(1, length + GUARD);
        pair.post(2, SendOpcode.SEND, length);

        assertThat(pair.sent(2).opcode()).isEqualTo(CompletionOpcode.SEND);
        Completion received = pair.received(1);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(length);
        assertThat(received.hasImmediate()).isFalse();
        assertCarried(pair, length);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("messages")
    void shouldSendWithImmediateData(QueuePairType type, Size size) {
        int length = length(type, size);
        Connection pair = prepared(type, length);
        pair.receive(1, length);
        pair.request(2, SendOpcode.SEND_WITH_IMM, length).setImmediate(0, IMMEDIATE);
        pair.post();

        assertThat(pair.sent(2).opcode()).isEqualTo(CompletionOpcode.SEND);
        Completion received = pair.received(1);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(length);
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(IMMEDIATE);
        assertCarried(pair, length);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("messages")
    void shouldWrite(QueuePairType type, Size size) {
        int length = length(type, size);
        Connection pair = prepared(type, length);
        pair.post(1, SendOpcode.RDMA_WRITE, length);
        assertThat(pair.sent(1).opcode()).isEqualTo(CompletionOpcode.RDMA_WRITE);
        // An unreliable write is complete when it has been sent; a later message arrives after it.
        pair.receive(2, 0);
        pair.post(3, SendOpcode.SEND, 0);
        pair.sent(3);
        pair.received(2);
        assertCarried(pair, length);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("messages")
    void shouldWriteWithImmediateData(QueuePairType type, Size size) {
        int length = length(type, size);
        Connection pair = prepared(type, length);
        pair.receive(1, 0);
        pair.request(2, SendOpcode.RDMA_WRITE_WITH_IMM, length).setImmediate(0, IMMEDIATE);
        pair.post();

        assertThat(pair.sent(2).opcode()).isEqualTo(CompletionOpcode.RDMA_WRITE);
        Completion received = pair.received(1);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECV_RDMA_WITH_IMM);
        assertThat(received.byteLength()).isEqualTo(length);
        assertThat(received.immediate()).isEqualTo(IMMEDIATE);
        assertCarried(pair, length);
    }

    @ParameterizedTest
    @EnumSource(Size.class)
    void shouldRead(Size size) {
        int length = length(QueuePairType.RC, size);
        Connection pair = fixture.connection(QueuePairType.RC);
        fill(pair.remote, AT - GUARD, length + 2 * GUARD, length);
        clear(pair.local, AT - GUARD, length + 2 * GUARD);
        pair.post(1, SendOpcode.RDMA_READ, length);

        Completion completion = pair.sent(1);
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RDMA_READ);
        assertThat(completion.byteLength()).isEqualTo(length);
        assertSame(pair.remote, AT, pair.local, AT, length);
        assertZero(pair.local, AT - GUARD, GUARD);
        assertZero(pair.local, AT + length, GUARD);
        assertThat(pair.peer.queryState()).isEqualTo(QueuePairState.RTS);
    }

    /** The immediate data is the same number at both ends; packets have it in network order. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x0102_0304, -1, Integer.MIN_VALUE})
    void shouldDeliverImmediateDataUnchanged(int value) {
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.receive(1, 0);
        pair.request(2, SendOpcode.SEND_WITH_IMM, 0).setImmediate(0, value);
        pair.post();
        pair.sent(2);

        Completion received = pair.received(1);
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(value);
    }

    @Test
    void shouldSendInBothDirectionsAtOnce() {
        Connection pair = prepared(QueuePairType.RC, 20_000);
        pair.receive(1, 20_000);
        there.request(0, 2, SendOpcode.SEND, pair.remote, 50_000, 20_000);
        fill(pair.remote, 50_000, 20_000, 5);
        here.receive(pair.qp, 3, pair.local, 100_000, 20_000);
        pair.post(4, SendOpcode.SEND, 20_000);
        there.post(pair.peer);

        assertThat(List.of(fixture.next(here).wrId(), fixture.next(here).wrId()))
                .containsExactlyInAnyOrder(3L, 4L);
        assertThat(List.of(fixture.next(there).wrId(), fixture.next(there).wrId()))
                .containsExactlyInAnyOrder(1L, 2L);
        assertCarried(pair, 20_000);
        assertSame(pair.remote, 50_000, pair.local, 100_000, 20_000);
    }

    /** Receives are consumed in the order of posting, whatever their length. */
    @Test
    void shouldMatchMessagesAndReceivesInOrder() {
        Connection pair = prepared(QueuePairType.RC, 16 * 512);
        for (int i = 0; i < 16; i++) {
            pair.receive(i, AT + 512L * i, 512);
        }
        for (int i = 0; i < 16; i++) {
            pair.request(0, 100 + i, SendOpcode.SEND, AT + 512L * i, 512 - i);
            pair.post();
        }
        for (int i = 0; i < 16; i++) {
            pair.sent(100 + i);
            assertThat(pair.received(i).byteLength()).isEqualTo(512 - i);
            assertSame(pair.local, AT + 512L * i, pair.remote, AT + 512L * i, 512 - i);
        }
    }

    /** Mixed operations in one list complete in the order of posting (10.8.3.1). */
    @Test
    void shouldCompleteMixedOperationsInOrder() {
        Connection pair = prepared(QueuePairType.RC, 40_000);
        pair.receive(50, 8000);
        pair.request(0, 1, SendOpcode.RDMA_READ, 30_000, 9000);
        pair.request(1, 2, SendOpcode.SEND, AT, 5);
        pair.fetchAndAdd(2, 3, 20_000, 4);
        pair.request(3, 4, SendOpcode.RDMA_WRITE, AT, 9000);
        pair.request(4, 5, SendOpcode.RDMA_READ, AT, 1);
        pair.compareAndSwap(5, 6, 20_008, 1, 2);
        here.sends.chain(0, 6);
        pair.post();

        for (int i = 1; i <= 6; i++) {
            pair.sent(i);
        }
        assertThat(pair.received(50).byteLength()).isEqualTo(5);
    }
}
