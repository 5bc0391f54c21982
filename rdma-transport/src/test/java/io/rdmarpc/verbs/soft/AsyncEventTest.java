package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("Asynchronous events of the software RNIC")
class AsyncEventTest {

    private static final long PATIENCE_SECONDS = 20;

    private final Pair pair = Pair.with(LinkFaults.NONE, 4096);
    private final BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
    private final Subscription subscription = pair.b.context.onAsyncEvent(events::add);

    @AfterEach
    void close() {
        pair.close();
    }

    private AsyncEvent next() throws InterruptedException {
        AsyncEvent event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(event).as("the next event").isNotNull();
        return event;
    }

    /** Causes an event that follows all others. */
    private void makeMarker() {
        QueuePair marker = pair.b.createSharing(QueuePairType.RC, pair.b.domain.createSharedReceiveQueue(1, 1));
        marker.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    }

    private void assertNothingButMarker() throws InterruptedException {
        makeMarker();
        assertThat(next().type()).isEqualTo(AsyncEventType.QP_LAST_WQE_REACHED);
    }

    private void assertNext(AsyncEventType type, QueuePair qp) throws InterruptedException {
        AsyncEvent event = next();
        assertThat(event.type()).isEqualTo(type);
        assertThat(event.queuePair()).isSameAs(qp);
        assertThat(event.deviceName()).isEqualTo("soft0");
    }

    @Test
    void shouldReportAnOverrunCompletionQueueOnce() throws InterruptedException {
        CompletionQueue small = pair.b.context.createCompletionQueue(1);
        QueuePairCapabilities sizes = new QueuePairCapabilities(1, 4, 1, 1, 0);
        QueuePair qp = pair.b.domain.createQueuePair(
                new QueuePairConfig(QueuePairType.RC, small, small, sizes, false).unchecked());
        qp.modify(pair.b.toInit(0));
        for (int i = 0; i < 4; i++) {
            assertThat(pair.b.receive(qp, i, pair.ofB, 0, 8)).isZero();
        }
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));

        AsyncEvent event = next();
        assertThat(event.type()).isEqualTo(AsyncEventType.CQ_ERR);
        assertThat(event.completionQueue()).isSameAs(small);
        assertNothingButMarker();
    }

    /** None of its completions is reliable then (11.6.3.2, local work queue catastrophic error). */
    @Test
    @DisplayName("report a queue pair whose completion was lost, and it is in the error state")
    void shouldReportTheQueuePairOfALostCompletion() throws InterruptedException {
        CompletionQueue small = pair.b.context.createCompletionQueue(1);
        QueuePairCapabilities sizes = new QueuePairCapabilities(4, 4, 1, 1, 0);
        QueuePair qp = pair.b.domain.createQueuePair(
                new QueuePairConfig(QueuePairType.RC, pair.b.cq, small, sizes, false).unchecked());
        TestNode.connect(pair.a, pair.qpOfA, pair.b, qp);
        for (int i = 0; i < 2; i++) {
            assertThat(pair.b.receive(qp, i, pair.ofB, 0, 8)).isZero();
            pair.a.message(pair.qpOfA, i, SendOpcode.SEND, pair.ofA, 0, 8, Remote.NONE);
        }
        pair.run(5000);

        AsyncEvent event = next();
        assertThat(event.type()).isEqualTo(AsyncEventType.CQ_ERR);
        assertNext(AsyncEventType.QP_FATAL, qp);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
        assertNothingButMarker();
    }

    @Test
    @DisplayName("report to the side whose memory a peer accessed without the right")
    void shouldReportForbiddenAccess() throws InterruptedException {
        pair.connect();
        assertThat(pair.a.read(pair.qpOfA, 1, pair.ofA, 0, 8, pair.ofB.address(), pair.ofB.rkey() + 1))
                .isZero();
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);

        assertNext(AsyncEventType.QP_ACCESS_ERR, pair.qpOfB);
    }

    @Test
    @DisplayName("report to the side that received an invalid request")
    void shouldReportInvalidRequests() throws InterruptedException {
        pair.connect();
        Remote odd = new Remote(pair.ofB.address() + 1, pair.ofB.rkey());
        assertThat(pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, odd, 1)).isZero();
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.REM_INV_REQ_ERR);

        assertNext(AsyncEventType.QP_REQ_ERR, pair.qpOfB);
    }

    @Test
    void whenAReceiveFailsThenNoEventIsReported() throws InterruptedException {
        pair.connect();
        assertThat(pair.b.receive(pair.qpOfB, 1, pair.ofB, 0, 8)).isZero();
        assertThat(pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, pair.ofA, 0, 9, Remote.NONE))
                .isZero();
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.REM_INV_REQ_ERR);
        assertThat(pair.awaitB().status()).isEqualTo(CompletionStatus.LOC_LEN_ERR);

        assertNothingButMarker();
    }

    @Test
    void shouldReportOnceThatThePeerSendsToAQueuePairInRtr() throws InterruptedException {
        int psn = 77;
        pair.qpOfB.modify(pair.b.toInit(pair.b.remoteAccess));
        pair.qpOfB.modify(pair.b.toRtr(pair.a, pair.qpOfA.number(), psn));
        pair.a.connect(pair.qpOfA, pair.b, pair.qpOfB.number(), psn, 0);
        for (int i = 0; i < 2; i++) {
            pair.b.receive(pair.qpOfB, i, pair.ofB, 0, 8);
            pair.a.message(pair.qpOfA, i, SendOpcode.SEND, pair.ofA, 0, 8, Remote.NONE);
            assertThat(pair.awaitB().status()).isZero();
        }

        assertNext(AsyncEventType.COMM_EST, pair.qpOfB);
        assertNothingButMarker();
    }

    @Test
    @DisplayName("report once that a shared queue has fewer receives than the limit, immediately if it has already")
    void shouldReportTheLimitOfASharedQueueOnce() throws InterruptedException {
        SharedReceiveQueue shared = pair.b.domain.createSharedReceiveQueue(8, 1);
        QueuePair receiver = pair.b.createSharing(QueuePairType.RC, shared);
        TestNode.connect(pair.a, pair.qpOfA, pair.b, receiver);
        for (int i = 0; i < 4; i++) {
            pair.b.receives.set(0, i, pair.ofB.address(), 8, pair.ofB.lkey());
            pair.b.receives.chain(0, 1);
            assertThat(shared.postReceive(pair.b.receives, 0)).isZero();
        }
        shared.armLimit(3);
        pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, pair.ofA, 0, 8, Remote.NONE);
        pair.awaitB();
        assertThat(shared.queryLimit()).isEqualTo(3);
        pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, pair.ofA, 0, 8, Remote.NONE);
        pair.awaitB();

        AsyncEvent event = next();
        assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
        assertThat(event.sharedReceiveQueue()).isSameAs(shared);
        assertThat(shared.queryLimit()).isZero();
        shared.armLimit(3);
        assertThat(next().type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
        assertNothingButMarker();
    }

    @Test
    void shouldReportThatAFailedQueuePairUsesNoMoreSharedReceives() throws InterruptedException {
        QueuePair qp = pair.b.createSharing(QueuePairType.RC, pair.b.domain.createSharedReceiveQueue(1, 1));
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));

        assertNext(AsyncEventType.QP_LAST_WQE_REACHED, qp);
        assertNothingButMarker();
    }

    @Test
    void whenAnObjectIsClosedThenItsPendingEventsAreDiscarded() throws InterruptedException {
        CountDownLatch notified = new CountDownLatch(1);
        CountDownLatch resume = new CountDownLatch(1);
        pair.b.context.onAsyncEvent(event -> {
            notified.countDown();
            try {
                resume.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        makeMarker();
        assertThat(notified.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        QueuePair closed = pair.b.createSharing(QueuePairType.RC, pair.b.domain.createSharedReceiveQueue(1, 1));
        closed.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        closed.close();
        makeMarker();
        resume.countDown();

        assertThat(next().queuePair()).isNotSameAs(closed);
        assertThat(next().queuePair()).isNotSameAs(closed);
    }

    @Test
    void shouldEndWithTheSubscriptionAndWithTheDevice() throws InterruptedException {
        subscription.close();
        BlockingQueue<AsyncEvent> others = new LinkedBlockingQueue<>();
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        pair.b.context.onAsyncEvent(event -> {
            threads.add(Thread.currentThread());
            others.add(event);
            pair.b.context.close();
        });
        makeMarker();

        Thread thread = threads.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(thread).isNotNull();
        assertThat(thread.isDaemon()).isTrue();
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertThat(thread.isAlive()).isFalse();
        assertThat(others).hasSize(1);
        assertThat(events).isEmpty();
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> pair.b.context.onAsyncEvent(events::add));
    }
}
