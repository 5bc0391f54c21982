package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Receives that several queue pairs share. */
@Timeout(60)
class SharedReceiveTest {

    private static final int SLOT = 16_384;
    private static final int LENGTH = 10_000;

    private final Pair pair = Pair.with(LinkFaults.NONE, 32 * SLOT);
    private final SharedReceiveQueue shared = pair.b.domain.createSharedReceiveQueue(8, 2);

    @AfterEach
    void close() {
        pair.close();
    }

    private int post(long wrId) {
        pair.b.receives.set(0, wrId, pair.ofB.address() + wrId * SLOT, SLOT, pair.ofB.lkey());
        pair.b.receives.chain(0, 1);
        return shared.postReceive(pair.b.receives, 0);
    }

    private QueuePair connected(QueuePairType type, QueuePair toShared) {
        QueuePair qp = pair.a.create(type);
        TestNode.connect(pair.a, qp, pair.b, toShared);
        return qp;
    }

    private void send(QueuePair qp, long wrId) {
        assertThat(pair.a.message(qp, wrId, SendOpcode.SEND, pair.ofA, wrId, LENGTH, Remote.NONE))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldServeSeveralQueuePairsInTheOrderOfTheirMessages(QueuePairType type) {
        QueuePair[] receivers = new QueuePair[3];
        QueuePair[] senders = new QueuePair[3];
        for (int i = 0; i < 3; i++) {
            receivers[i] = pair.b.createSharing(type, shared);
            senders[i] = connected(type, receivers[i]);
        }
        for (int i = 0; i < 8; i++) {
            assertThat(post(i)).isZero();
        }
        assertThat(post(8)).isEqualTo(Errno.ENOMEM);
        for (int i = 0; i < 6; i++) {
            send(senders[i % 3], i);
            TestNode.Completion received = pair.awaitB();
            assertThat(received.wrId()).isEqualTo(i);
            assertThat(received.qpn()).isEqualTo(receivers[i % 3].number());
            assertThat(received.byteLength()).isEqualTo(LENGTH);
            long at = (long) i * SLOT;
            assertThat(MemorySegment.mismatch(pair.ofB.segment(), at, at + LENGTH, pair.ofA.segment(), i, i + LENGTH))
                    .isEqualTo(-1);
        }
    }

    /** Messages whose packets arrive interleaved use separate receives. */
    @Test
    void shouldGiveEachMessageAReceiveWhenItBegins() {
        QueuePair first = connected(QueuePairType.RC, pair.b.createSharing(QueuePairType.RC, shared));
        QueuePair second = connected(QueuePairType.RC, pair.b.createSharing(QueuePairType.RC, shared));
        post(0);
        post(1);
        send(first, 3);
        send(second, 4);
        for (int i = 0; i < 2; i++) {
            TestNode.Completion received = pair.awaitB();
            long at = received.wrId() * SLOT;
            int from = received.wrId() == 0 ? 3 : 4;
            assertThat(MemorySegment.mismatch(
                            pair.ofB.segment(), at, at + LENGTH, pair.ofA.segment(), from, from + LENGTH))
                    .isEqualTo(-1);
        }
    }

    @Test
    void whenEmptyThenSenderWaitsUntilOneIsPosted() {
        QueuePair sender = connected(QueuePairType.RC, pair.b.createSharing(QueuePairType.RC, shared));
        send(sender, 1);
        pair.run(2000);
        assertThat(pair.a.counters().notReady()).isPositive();
        post(5);
        assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
        assertThat(pair.awaitB().wrId()).isEqualTo(5);
    }

    @Test
    void shouldServeDatagrams() {
        QueuePair receiver = pair.b.createSharing(QueuePairType.UD, shared);
        receiver.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(1)
                .qkey(TestNode.QKEY));
        receiver.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        post(2);
        pair.a.send(pair.a.datagrams(), 1, pair.ofA, 100, pair.a.handleTo(pair.b), receiver.number(), TestNode.QKEY);
        TestNode.Completion received = pair.awaitB();
        assertThat(received.wrId()).isEqualTo(2);
        assertThat(received.byteLength()).isEqualTo(140);
    }

    /** A queue pair that fails uses up only the receive of its unfinished message. */
    @Test
    void whenAQueuePairFailsThenOthersKeepTheReceives() {
        QueuePair failing = pair.b.createSharing(QueuePairType.RC, shared);
        QueuePair sender = connected(QueuePairType.RC, failing);
        QueuePair other = connected(QueuePairType.RC, pair.b.createSharing(QueuePairType.RC, shared));
        post(0);
        post(1);
        failing.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(pair.b.next()).isNull();
        sender.close();
        send(other, 4);
        assertThat(pair.awaitB().wrId()).isZero();
    }

    @Test
    void whenQueuePairSharesReceivesThenItHasNone() {
        QueuePair receiver = pair.b.createSharing(QueuePairType.RC, shared);
        connected(QueuePairType.RC, receiver);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> pair.b.receive(receiver, 1, pair.ofB, 0, 10));
    }

    @Test
    void whenClosedThenItsQueuePairsAreTooAndItAcceptsNothing() {
        QueuePair receiver = pair.b.createSharing(QueuePairType.RC, shared);
        shared.close();
        shared.close();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> receiver.modify(new QueuePairAttributes().state(QueuePairState.ERR)))
                .withMessageContaining("closed");
        assertThatExceptionOfType(RdmaWorkRequestException.class).isThrownBy(() -> post(1));
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> pair.b.createSharing(QueuePairType.RC, shared))
                .withMessageContaining("shared receive queue is closed");
    }

    @Test
    void whenItBelongsToAnotherDomainThenQueuePairIsRejected() {
        SharedReceiveQueue foreign = pair.b.context.allocateProtectionDomain().createSharedReceiveQueue(1, 1);
        assertThat(foreign.maxWr()).isEqualTo(1);
        assertThat(foreign.maxSge()).isEqualTo(1);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> pair.b.createSharing(QueuePairType.RC, foreign))
                .withMessageContaining("another protection domain");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> pair.b.domain.createSharedReceiveQueue(1 << 16, 1))
                .withMessageContaining("max_wr 65536");
    }

    @Test
    void whenTheLimitIsOutOfRangeThenReportsIt() {
        assertThat(shared.queryLimit()).isZero();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> shared.armLimit(9))
                .withMessageContaining("Use 0 to 8");
        shared.close();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> shared.armLimit(1))
                .withMessageContaining("closed");
    }
}
