package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.RnrTimer;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The receiver has no receive posted: receiver-not-ready NAKs, their times and their number. */
@Timeout(60)
class NotReadyTest {

    private static final int LENGTH = 50_000;
    private static final int CODE_10_MS = 20;
    private static final long MICROS_OF_CODE = 10_240;

    private static Pair pair(int rnrRetry) {
        Pair pair = Pair.with(LinkFaults.NONE, 100_000);
        pair.a.rnrRetry = rnrRetry;
        pair.b.rnrTimer = CODE_10_MS;
        return pair.connect();
    }

    private static void send(Pair pair, long wrId, int opcode) {
        assertThat(pair.a.message(pair.qpOfA, wrId, opcode, pair.ofA, 0, LENGTH, Remote.of(pair.ofB, 0)))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.RDMA_WRITE_WITH_IMM})
    void whenReceiveIsPostedLateThenMessageArrivesWithinTheTimeOfTheCode(int opcode) {
        try (Pair pair = pair(7)) {
            send(pair, 1, opcode);
            pair.run(3 * MICROS_OF_CODE);
            assertThat(pair.a.next()).isNull();
            assertThat(pair.a.counters().notReady()).isBetween(2L, 4L);
            assertThat(pair.a.counters().retries())
                    .as("only the rejected packet is retried, once each time")
                    .isLessThanOrEqualTo(pair.a.counters().notReady());
            pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, LENGTH);
            long posted = pair.clock.getAsLong();
            assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
            assertThat((pair.clock.getAsLong() - posted) / 1000).isLessThan(MICROS_OF_CODE + 1000);
            TestNode.Completion received = pair.awaitB();
            assertThat(received.wrId()).isEqualTo(7);
            assertThat(received.byteLength()).isEqualTo(LENGTH);
            assertThat(pair.ofB
                            .segment()
                            .asSlice(0, LENGTH)
                            .mismatch(pair.ofA.segment().asSlice(0, LENGTH)))
                    .isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void whenRejectedTooOftenThenFailsWithThatStatus(int rnrRetry) {
        try (Pair pair = pair(rnrRetry)) {
            send(pair, 1, SendOpcode.SEND);
            send(pair, 2, SendOpcode.SEND);
            long start = pair.clock.getAsLong();
            TestNode.Completion failed = pair.awaitA();
            assertThat(failed.wrId()).isEqualTo(1);
            assertThat(failed.status()).isEqualTo(CompletionStatus.RNR_RETRY_EXC_ERR);
            assertThat(failed.vendorError()).isEqualTo(Aeth.RNR | CODE_10_MS);
            long micros = (pair.clock.getAsLong() - start) / 1000;
            assertThat(micros).isBetween(rnrRetry * MICROS_OF_CODE, rnrRetry * (MICROS_OF_CODE + 100) + 500);
            assertThat(pair.a.counters().notReady()).isEqualTo(rnrRetry + 1);
            assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
            assertThat(pair.qpOfA.queryState()).isEqualTo(QueuePairState.ERR);
            assertThat(pair.qpOfB.queryState()).isEqualTo(QueuePairState.RTS);
        }
    }

    @Test
    void whenMessagesGetThroughThenTheCountOfRejectionsRestarts() {
        try (Pair pair = pair(2)) {
            for (int i = 0; i < 5; i++) {
                send(pair, i, SendOpcode.SEND);
                pair.run(MICROS_OF_CODE + 1000);
                pair.b.receive(pair.qpOfB, i, pair.ofB, 0, LENGTH);
                assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
                assertThat(pair.awaitB().wrId()).isEqualTo(i);
            }
            assertThat(pair.a.counters().notReady()).isGreaterThan(4);
        }
    }

    /** Requests after a rejected message are not executed before it, and a READ before it gets its response. */
    @Test
    void shouldKeepTheOrderAroundARejection() {
        try (Pair pair = pair(7)) {
            pair.a.read(pair.qpOfA, 1, pair.ofA, 60_000, 20_000, pair.ofB.address(), pair.ofB.rkey());
            send(pair, 2, SendOpcode.SEND);
            pair.a.message(pair.qpOfA, 3, SendOpcode.RDMA_WRITE, pair.ofA, 0, 8, Remote.of(pair.ofB, 90_000));
            pair.run(2 * MICROS_OF_CODE);
            assertThat(pair.a.next().wrId()).isEqualTo(1);
            assertThat(pair.a.next()).isNull();
            assertThat(pair.ofB
                            .segment()
                            .asSlice(90_000, 8)
                            .mismatch(pair.ofA.segment().asSlice(0, 8)))
                    .isNotEqualTo(-1);
            pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, LENGTH);
            assertThat(pair.awaitA().wrId()).isEqualTo(2);
            assertThat(pair.awaitA().wrId()).isEqualTo(3);
            assertThat(pair.ofB
                            .segment()
                            .asSlice(90_000, 8)
                            .mismatch(pair.ofA.segment().asSlice(0, 8)))
                    .isEqualTo(-1);
        }
    }

    /** A duplicate of an old NAK just before the acknowledgment must not stop later messages. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void whenADuplicateNakIsLateThenLaterMessagesAreSent(int polls) {
        try (Pair pair = Pair.over(
                link -> link,
                link -> new ScriptedLink(link, Opcode.RC_ACKNOWLEDGE, 1, ScriptedLink.Fault.ECHO).late(polls),
                100_000)) {
            pair.b.rnrTimer = 1;
            pair.connect();
            pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, pair.ofA, 0, 8, Remote.NONE);
            while (pair.a.counters().notReady() == 0) {
                pair.run(Pair.STEP_MICROS);
            }
            for (int i = 1; i <= 2; i++) {
                pair.b.receive(pair.qpOfB, i, pair.ofB, 0, LENGTH);
            }
            assertThat(pair.awaitA().wrId()).isEqualTo(1);
            pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, pair.ofA, 0, 8, Remote.NONE);
            assertThat(pair.awaitA().wrId()).isEqualTo(2);
        }
    }

    @Test
    void whenWaitingThenTheWindowIsReleased() {
        try (Pair pair = pair(7)) {
            send(pair, 1, SendOpcode.SEND);
            pair.run(1000);
            assertThat(pair.a.counters().notReady()).isEqualTo(1);
            assertThat(pair.a.context.rnic().sendWindow().usedBytes()).isZero();
        }
    }

    @Test
    void shouldUseTheTimesOfTheSpecification() {
        assertThat(RnrTimer.nanos(0)).isEqualTo(655_360_000);
        assertThat(RnrTimer.nanos(1)).isEqualTo(10_000);
        assertThat(RnrTimer.nanos(12)).isEqualTo(640_000);
        assertThat(RnrTimer.nanos(20)).isEqualTo(10_240_000);
        assertThat(RnrTimer.nanos(31)).isEqualTo(491_520_000);
        for (int code = 2; code < 32; code++) {
            double growth = (double) RnrTimer.nanos(code) / RnrTimer.nanos(code - 1);
            assertThat(growth).isBetween(1.3, 2.0);
        }
    }
}
