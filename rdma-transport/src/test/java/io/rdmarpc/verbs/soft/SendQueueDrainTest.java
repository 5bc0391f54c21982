package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@DisplayName("A queue pair in SQD")
class SendQueueDrainTest {

    private static final int LONG_MESSAGE = 4 << 20;
    private static final int SHORT_WHILE_MICROS = 20_000;

    private final Pair pair = Pair.with(LinkFaults.NONE, LONG_MESSAGE);
    private final BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();

    SendQueueDrainTest() {
        pair.a.context.onAsyncEvent(events::add);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void drain(QueuePair qp) {
        qp.modify(new QueuePairAttributes().state(QueuePairState.SQD).notifyWhenDrained(true));
    }

    private void awaitDrained(QueuePair qp) throws InterruptedException {
        AsyncEvent event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).isNotNull();
        assertThat(event.type()).isEqualTo(AsyncEventType.SQ_DRAINED);
        assertThat(event.queuePair()).isSameAs(qp);
        assertThat(events).isEmpty();
    }

    private void write(long wrId, int length) {
        assertThat(pair.a.message(pair.qpOfA, wrId, SendOpcode.RDMA_WRITE, pair.ofA, 0, length, Remote.of(pair.ofB, 0)))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    @DisplayName("finishes the message that has begun, reports this, and keeps later requests until it is in RTS again")
    void shouldFinishTheMessageThatHasBegun(QueuePairType type) throws InterruptedException {
        pair.connect(type);
        write(1, LONG_MESSAGE);
        write(2, 8);
        pair.a.progress();
        drain(pair.qpOfA);
        assertThat(pair.qpOfA.query().sendQueueDraining()).isTrue();
        assertThat(events).isEmpty();
        write(3, 8);

        assertThat(pair.awaitA().wrId()).isEqualTo(1);
        pair.run(SHORT_WHILE_MICROS);
        awaitDrained(pair.qpOfA);
        assertThat(pair.qpOfA.query().sendQueueDraining()).isFalse();
        assertThat(pair.qpOfA.queryState()).isEqualTo(QueuePairState.SQD);
        assertThat(pair.a.next()).isNull();

        pair.qpOfA.modify(new QueuePairAttributes().state(QueuePairState.RTS));
        assertThat(pair.awaitA().wrId()).isEqualTo(2);
        assertThat(pair.awaitA().wrId()).isEqualTo(3);
    }

    @Test
    void shouldWaitForAReadResponseAndRespondToThePeerInBetween() throws InterruptedException {
        pair.connect();
        assertThat(pair.a.read(pair.qpOfA, 1, pair.ofA, 0, LONG_MESSAGE, pair.ofB.address(), pair.ofB.rkey()))
                .isZero();
        pair.a.progress();
        drain(pair.qpOfA);
        assertThat(pair.b.read(pair.qpOfB, 2, pair.ofB, 0, 8, pair.ofA.address(), pair.ofA.rkey()))
                .isZero();

        assertThat(pair.awaitB().wrId()).isEqualTo(2);
        assertThat(pair.awaitA().status()).isZero();
        awaitDrained(pair.qpOfA);
    }

    @Test
    void whenNothingHasBegunThenItIsDrainedAtOnce() throws InterruptedException {
        pair.connect();
        drain(pair.qpOfA);

        awaitDrained(pair.qpOfA);
        write(1, 8);
        pair.run(SHORT_WHILE_MICROS);
        assertThat(pair.a.next()).isNull();
    }

    @Test
    void whenNotRequestedThenNothingIsReported() {
        pair.connect();
        pair.qpOfA.modify(new QueuePairAttributes().state(QueuePairState.SQD));
        // The event thread delivers pending events before it ends.
        pair.qpOfA.modify(new QueuePairAttributes().state(QueuePairState.RTS));
        write(1, 8);

        assertThat(pair.awaitA().wrId()).isEqualTo(1);
        assertThat(events).isEmpty();
    }

    @Test
    void shouldKeepDatagrams() throws InterruptedException {
        QueuePair sender = pair.a.datagrams();
        QueuePair receiver = pair.b.datagrams();
        AddressHandle there = pair.a.handleTo(pair.b);
        pair.b.receive(receiver, 7, pair.ofB, 0, 64);
        drain(sender);
        awaitDrained(sender);
        assertThat(pair.a.send(sender, 1, pair.ofA, 8, there, receiver.number(), TestNode.QKEY))
                .isZero();
        pair.run(SHORT_WHILE_MICROS);
        assertThat(pair.a.next()).isNull();

        sender.modify(new QueuePairAttributes().state(QueuePairState.RTS));
        assertThat(pair.awaitB().wrId()).isEqualTo(7);
    }

    @Test
    void whenItFailsThenKeptRequestsAreFlushed() {
        pair.connect();
        drain(pair.qpOfA);
        write(1, 8);
        pair.qpOfA.modify(new QueuePairAttributes().state(QueuePairState.ERR));

        assertThat(Pair.status(pair.awaitA())).contains("WR_FLUSH_ERR");
    }
}
