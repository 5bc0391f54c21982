package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.FaultScript;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reaction of the protocol to one particular packet that is lost, late, duplicated or corrupted. */
@Timeout(60)
class ScriptedFaultsTest {

    private static final int MTU = 1024;
    private static final int MESSAGE = 3 * MTU;

    private static LinkFaults script(String text) {
        return LinkFaults.NONE.withScript(FaultScript.parse("soft.faults.script", text));
    }

    /** Creates a pair with the faults of the requester's packets, and of the responder's packets. */
    private static Pair pair(String ofA, String ofB) {
        Pair pair = Pair.with(script(ofA), script(ofB), 64 << 10);
        pair.a.mtu = PathMtu.MTU_1024;
        pair.b.mtu = PathMtu.MTU_1024;
        return pair.connect();
    }

    private static void post(Pair pair, int messages) {
        for (int i = 0; i < messages; i++) {
            pair.b.receive(pair.qpOfB, i, pair.ofB, (long) i * MESSAGE, MESSAGE);
        }
    }

    private static void send(Pair pair, int message) {
        int errno = pair.a.message(
                pair.qpOfA, message, SendOpcode.SEND, pair.ofA, (long) message * MESSAGE, MESSAGE, Remote.NONE);
        assertThat(errno).isZero();
    }

    /**
     * Checks that each message is sent and received once, in order and with the right bytes, and that there are no
     * other completions.
     */
    private static void assertArrived(Pair pair, int messages) {
        for (int i = 0; i < messages; i++) {
            assertSuccess(pair.awaitA(), i);
            assertSuccess(pair.awaitB(), i);
        }
        pair.run(1_000_000);
        assertThat(pair.a.next()).isNull();
        assertThat(pair.b.next()).isNull();
        assertSame(pair.ofA, pair.ofB, (long) messages * MESSAGE);
    }

    private static void assertSuccess(TestNode.Completion completion, long wrId) {
        assertThat(Pair.status(completion)).isEqualTo("SUCCESS (0)");
        assertThat(completion.wrId()).isEqualTo(wrId);
    }

    private static void assertSame(MemoryRegion one, MemoryRegion other, long bytes) {
        assertThat(one.segment().asSlice(0, bytes).mismatch(other.segment().asSlice(0, bytes)))
                .isEqualTo(-1);
    }

    private static long drops(TestNode node, DropReason reason) {
        return node.counters().dropped(reason);
    }

    // ---- acknowledgments ----

    @Test
    void whenTheThirdAcknowledgementIsLostThenALaterOneCoversIt() {
        try (Pair pair = pair("", "drop 3 ACK")) {
            post(pair, 4);
            for (int i = 0; i < 2; i++) {
                send(pair, i);
                assertSuccess(pair.awaitA(), i);
            }
            send(pair, 2);
            pair.a.progress();
            pair.b.progress();
            pair.b.progress();
            send(pair, 3);
            assertSuccess(pair.awaitA(), 2);
            assertSuccess(pair.awaitA(), 3);
            assertThat(pair.a.counters().retries()).isZero();
            assertThat(drops(pair.b, DropReason.REPEATED_REQUEST)).isZero();
        }
    }

    @Test
    void whenTheLastAcknowledgementIsLostThenARetransmissionBringsItWithoutAnotherMessage() {
        try (Pair pair = pair("", "drop 3 ACK")) {
            post(pair, 3);
            for (int i = 0; i < 3; i++) {
                send(pair, i);
                assertSuccess(pair.awaitA(), i);
                assertSuccess(pair.awaitB(), i);
            }
            pair.run(1_000_000);
            assertThat(pair.b.next()).isNull();
            assertThat(drops(pair.b, DropReason.REPEATED_REQUEST)).isPositive();
            assertThat(pair.a.counters().timeouts()).as("no retry was counted").isZero();
            assertSame(pair.ofA, pair.ofB, 3 * MESSAGE);
        }
    }

    @Test
    void whenAnAcknowledgementIsDuplicatedThenTheSecondIsIgnored() {
        try (Pair pair = pair("", "duplicate 1 ACK")) {
            post(pair, 2);
            send(pair, 0);
            send(pair, 1);
            assertArrived(pair, 2);
            assertThat(drops(pair.a, DropReason.IDLE_ACKNOWLEDGE)).isEqualTo(1);
            assertThat(pair.a.counters().retries()).isZero();
        }
    }

    @Test
    void whenAnAcknowledgementIsLateThenItIsIgnored() {
        try (Pair pair = pair("", "delay 1 ACK 50ms")) {
            post(pair, 2);
            send(pair, 0);
            assertSuccess(pair.awaitA(), 0);
            pair.run(60_000);
            send(pair, 1);
            assertSuccess(pair.awaitA(), 1);
            assertThat(drops(pair.a, DropReason.IDLE_ACKNOWLEDGE)).isPositive();
            assertThat(pair.a.counters().timeouts()).isZero();
        }
    }

    // ---- SEND and WRITE ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void whenOnePacketIsLostThenItIsSentAgainWithLaterOnes(int number) {
        try (Pair pair = pair("drop " + number + " SEND", "")) {
            post(pair, 2);
            send(pair, 0);
            send(pair, 1);
            assertArrived(pair, 2);
            assertThat(pair.a.counters().retries()).isBetween(1L, 7L - number);
            assertThat(drops(pair.b, DropReason.EARLY_REQUEST)).isEqualTo(6 - number);
        }
    }

    @Test
    void whenTheNakOfAGapIsLostThenTheRequesterTimesOut() {
        try (Pair pair = pair("drop 2 SEND", "drop 1 NAK")) {
            post(pair, 2);
            send(pair, 0);
            send(pair, 1);
            assertArrived(pair, 2);
            assertThat(pair.a.counters().timeouts()).as("no retry was counted").isZero();
        }
    }

    @Test
    void whenAPacketIsDuplicatedThenItIsExecutedOnce() {
        try (Pair pair = pair("duplicate 1-6 SEND", "")) {
            post(pair, 2);
            send(pair, 0);
            send(pair, 1);
            assertArrived(pair, 2);
            assertThat(drops(pair.b, DropReason.REPEATED_REQUEST)).isEqualTo(6);
            assertThat(pair.a.counters().retries()).isZero();
        }
    }

    @Test
    void whenAPacketIsOvertakenThenMessagesStillArriveInOrder() {
        try (Pair pair = pair("reorder 2 SEND", "")) {
            post(pair, 2);
            send(pair, 0);
            send(pair, 1);
            assertArrived(pair, 2);
            assertThat(drops(pair.b, DropReason.EARLY_REQUEST)).isPositive();
        }
    }

    @Test
    void whenABitOfAPacketFlipsThenItCountsAsLost() {
        try (Pair pair = pair("corrupt 2 SEND", "")) {
            post(pair, 2);
            send(pair, 0);
            send(pair, 1);
            assertArrived(pair, 2);
            assertThat(pair.b.counters().dropped() - drops(pair.b, DropReason.EARLY_REQUEST))
                    .as("dropped because of its ICRC, or of a header with the flipped bit")
                    .isEqualTo(1);
        }
    }

    @Test
    void whenAllPacketsAreLostThenFailsAfterTheRetries() {
        try (Pair pair = pair("drop 1-1000000 SEND", "")) {
            post(pair, 1);
            send(pair, 0);
            assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
            assertThat(pair.a.counters().timeouts()).isEqualTo(pair.a.retryCount + 1);
        }
    }

    // ---- READ and atomics ----

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 8})
    void whenOneResponseOfAReadIsLostThenOnlyThatIsRequestedAgain(int number) {
        try (Pair pair = pair("", "drop " + number + " READ_RESPONSE")) {
            pair.a.read(pair.qpOfA, 1, pair.ofA, 0, 8 * MTU, pair.ofB.address(), pair.ofB.rkey());
            assertSuccess(pair.awaitA(), 1);
            assertSame(pair.ofA, pair.ofB, 8 * MTU);
            assertThat(pair.a.counters().retries()).isEqualTo(1);
            assertThat(pair.b.counters().sent())
                    .as("8, one of which is lost and sent again")
                    .isEqualTo(9);
        }
    }

    @Test
    void whenTheResponseOfAnAtomicIsLostThenItIsSentAgainAndNothingIsExecutedTwice() {
        try (Pair pair = pair("", "drop 2 ATOMIC_RESPONSE")) {
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, 0, 100);
            for (int i = 0; i < 3; i++) {
                pair.a.fetchAndAdd(pair.qpOfA, i, pair.ofA, 8L * i, Remote.of(pair.ofB, 0), 10);
            }
            for (int i = 0; i < 3; i++) {
                assertSuccess(pair.awaitA(), i);
                assertThat(pair.ofA.segment().get(ValueLayout.JAVA_LONG, 8L * i))
                        .isEqualTo(100 + 10 * i);
            }
            assertThat(pair.ofB.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(130);
            assertThat(pair.a.counters().retries()).isPositive();
        }
    }

    @Test
    void whenAnAtomicIsDuplicatedThenItIsExecutedOnce() {
        try (Pair pair = pair("duplicate 1 ATOMIC", "")) {
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, 0, 100);
            pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, Remote.of(pair.ofB, 0), 10);
            assertSuccess(pair.awaitA(), 1);
            pair.run(1_000_000);
            assertThat(pair.a.next()).isNull();
            assertThat(pair.ofA.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(100);
            assertThat(pair.ofB.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(110);
        }
    }

    // ---- no receive posted ----

    @Test
    void whenAnRnrNakIsLostThenTheNextTryCausesAnother() {
        try (Pair pair = pair("", "drop 1 RNR")) {
            send(pair, 0);
            pair.run(60_000);
            assertThat(pair.a.counters().notReady()).isPositive();
            assertThat(pair.a.next()).isNull();
            post(pair, 1);
            assertArrived(pair, 1);
            assertThat(pair.a.counters().timeouts()).isZero();
        }
    }

    @Test
    void whenAnRnrNakIsDuplicatedThenItCountsOnce() {
        try (Pair pair = pair("", "duplicate 1 RNR")) {
            send(pair, 0);
            pair.run(100);
            post(pair, 1);
            assertArrived(pair, 1);
            assertThat(pair.a.counters().notReady()).isEqualTo(1);
        }
    }

    // ---- others ----

    @Test
    void whenADatagramIsLostThenItsSenderIsNotNotified() {
        try (Pair pair = Pair.with(script("drop 2 UD"), LinkFaults.NONE, 4096)) {
            pair.connect(QueuePairType.UD);
            for (int i = 0; i < 3; i++) {
                pair.b.receive(pair.qpOfB, i, pair.ofB, 100L * i, 100);
            }
            for (int i = 0; i < 3; i++) {
                pair.a.send(
                        pair.qpOfA, i, pair.ofA, 10 + i, pair.a.handleTo(pair.b), pair.qpOfB.number(), TestNode.QKEY);
                assertSuccess(pair.awaitA(), i);
            }
            assertThat(pair.awaitB().byteLength()).isEqualTo(40 + 10);
            assertThat(pair.awaitB().byteLength()).isEqualTo(40 + 12);
        }
    }

    /** 8 Mbit/s is one byte per microsecond: 48 KiB with headers take about 50 ms. */
    @Test
    void whenThePortIsSlowThenTransfersAreSlowAndNothingIsLost() {
        LinkFaults slow = LinkFaults.NONE.withBandwidth(1_000_000);
        try (Pair pair = Pair.with(slow, LinkFaults.NONE, 64 << 10)) {
            pair.a.timeoutExponent = 19;
            pair.connect();
            long start = pair.clock.getAsLong();
            pair.a.message(pair.qpOfA, 1, SendOpcode.RDMA_WRITE, pair.ofA, 0, 48 << 10, Remote.of(pair.ofB, 0));
            assertSuccess(pair.awaitA(), 1);
            long micros = (pair.clock.getAsLong() - start) / 1000;
            assertThat(micros).isBetween((48L << 10) - 8_000, (48L << 10) + 8_000);
            assertSame(pair.ofA, pair.ofB, 48 << 10);
            assertThat(pair.b.counters().dropped()).isZero();
            assertThat(pair.a.counters().retries()).isZero();
        }
    }
}
