package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.CompletionWaiter;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("A completion channel of the software RNIC")
class CompletionChannelTest {

    private static final Map<String, String> OPTIONS = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final Duration LONG = Duration.ofSeconds(60);

    private final SelfNode node = new SelfNode(OPTIONS);
    private final CompletionChannel channel = node.context.createCompletionChannel();
    private final CompletionQueue cq = node.context.createCompletionQueue(64, channel);
    private final WorkCompletions completions = node.completions;

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void shouldReportACompletionThatArrivesAfterArming() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.channel()).isSameAs(channel);
        assertThat(cq.requestNotification(false)).isZero();
        sender.receive(1);
        sender.send(0);

        assertThat(channel.await(LONG)).isEqualTo(1);
        node.take(cq, 1);
        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    void whenArmedForSolicitedMessagesThenOthersCauseNoEvent() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.requestNotification(true)).isZero();

        sender.receive(1);
        sender.send(0);
        node.take(cq, 1);
        assertThat(channel.await(SHORT)).isZero();

        sender.receive(3);
        sender.sendSolicited();
        assertThat(channel.await(LONG)).isEqualTo(1);
        node.take(cq, 1);
    }

    @Test
    void shouldNotReportCompletionsFromBeforeArming() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        sender.receive(1);
        sender.send(0);
        node.take(cq, 1);
        assertThat(cq.requestNotification(false)).isZero();

        assertThat(channel.await(SHORT)).isZero();
    }

    @Test
    void shouldReturnTheEventsOfAllItsQueuesAtOnce() {
        CompletionQueue[] queues = new CompletionQueue[5];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = node.context.createCompletionQueue(16, channel);
            SelfNode.Sender sender = node.new Sender(queues[i], 4);
            assertThat(queues[i].requestNotification(false)).isZero();
            sender.receive(i);
            sender.send(0);
            node.take(queues[i], 1);
        }

        assertThat(channel.await(LONG)).isEqualTo(queues.length);
        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    @DisplayName("does not block the close of a queue whose event was never retrieved")
    void whenAQueueHasAPendingEventThenItCloses() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.requestNotification(false)).isZero();
        sender.receive(1);
        sender.send(0);
        node.take(cq, 1);

        cq.close();

        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    void shouldWaitForAboutTheTimeOut() {
        Instant start = Instant.now();

        assertThat(channel.await(Duration.ofMillis(200))).isZero();

        assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(Duration.ofMillis(199));
    }

    /** Waits until the thread waits on the channel, and holds its events. */
    private void hold() {
        while (!channel.holdEvents()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whenEventsAreHeldThenTheWaitEndsOnceTheyAreReleased() throws Exception {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.requestNotification(false)).isZero();
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));
        hold();
        sender.receive(1);
        sender.send(0);
        node.take(cq, 1);
        assertThat(waiting.isDone()).isFalse();

        channel.releaseEvents();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void whenHeldEventsAreReleasedThenALaterOneEndsTheWait() throws Exception {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.requestNotification(false)).isZero();
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));
        hold();
        channel.releaseEvents();
        assertThat(waiting.isDone()).isFalse();
        sender.receive(1);
        sender.send(0);

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void whenEventsAreHeldThenAWakeUpEndsTheWait() throws Exception {
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));
        hold();
        channel.wakeUp();

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(channel.holdEvents()).as("no thread waits").isFalse();
    }

    @Test
    void whenAWaitWithHeldEventsTimesOutThenItReturnsThem() throws Exception {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.requestNotification(false)).isZero();
        FutureTask<Integer> waiting = inThread(() -> channel.await(Duration.ofMillis(500)));
        hold();
        sender.receive(1);
        sender.send(0);
        node.take(cq, 1);

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void whenWokenUpThenOneCurrentOrLaterWaitEnds() throws Exception {
        channel.wakeUp();
        channel.wakeUp();
        assertThat(channel.await(LONG)).isZero();
        assertThat(channel.await(SHORT)).isZero();

        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));
        channel.wakeUp();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void whenClosedThenAWaitEndsWithAnException() throws InterruptedException, TimeoutException {
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));

        channel.close();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
                .havingCause()
                .isInstanceOf(RdmaVerbsException.class)
                .withMessageContaining("The completion channel is closed");
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> channel.await(LONG));
        assertThatCode(channel::wakeUp).doesNotThrowAnyException();
        assertThatCode(channel::close).doesNotThrowAnyException();
        assertThat(cq.poll(completions, 1)).isEqualTo(-Errno.EINVAL);
        assertThat(cq.requestNotification(false)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenTheDeviceIsClosedThenAWaitEnds() throws InterruptedException {
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));

        node.context.close();

        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS));
    }

    @Test
    void shouldRejectASecondWaiter() throws Exception {
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));
        Instant end = Instant.now().plusSeconds(20);
        RdmaVerbsException rejection = null;
        while (rejection == null && Instant.now().isBefore(end)) {
            try {
                channel.await(Duration.ZERO);
            } catch (RdmaVerbsException e) {
                rejection = e;
            }
        }
        channel.wakeUp();

        assertThat(rejection).isNotNull().hasMessageContaining("Another thread waits on this channel");
        waiting.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldBeRequiredToArmAQueueOfTheSameDevice() {
        CompletionQueue without = node.context.createCompletionQueue(4);
        assertThat(without.requestNotification(false)).isEqualTo(Errno.EINVAL);
        assertThat(without.channel()).isNull();
        try (SelfNode other = new SelfNode(OPTIONS)) {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> other.context.createCompletionQueue(1, channel))
                    .withMessageContaining("belongs to another device");
        }
    }

    @Test
    void shouldReportOneEventForEachArming() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        for (int i = 0; i < 3; i++) {
            sender.receive(i);
            assertThat(cq.requestNotification(false)).isZero();
            sender.send(0);
            node.take(cq, 1);
        }

        assertThat(channel.await(Duration.ZERO)).isEqualTo(3);
        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    void whenArmedForAnyCompletionThenALaterSolicitedArmingChangesNothing() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        assertThat(cq.requestNotification(false)).isZero();
        assertThat(cq.requestNotification(true)).isZero();
        sender.receive(1);
        sender.send(0);

        assertThat(channel.await(LONG)).isEqualTo(1);
    }

    @Test
    @DisplayName("reports failures to threads that wait for solicited messages only")
    void shouldReportFailuresToWaitersForSolicitedMessages() {
        SelfNode.Sender sender = node.new Sender(cq, 16);
        sender.receive(1);
        assertThat(cq.requestNotification(true)).isZero();
        sender.fail();

        assertThat(channel.await(LONG)).isEqualTo(1);
    }

    @Test
    @DisplayName("restores an interrupt after the wait")
    void shouldRestoreAnInterruptAfterTheWait() {
        Thread.currentThread().interrupt();
        Instant start = Instant.now();

        assertThat(channel.await(SHORT)).isZero();

        assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(SHORT.minusMillis(1));
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("allows several threads to wait, each on its own channel, while one drives the RNIC for all")
    void shouldLetSeveralThreadsWait() throws Exception {
        CompletionChannel[] channels = new CompletionChannel[4];
        SelfNode.Sender[] senders = new SelfNode.Sender[channels.length];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = node.context.createCompletionChannel();
            CompletionQueue queue = node.context.createCompletionQueue(16, channels[i]);
            senders[i] = node.new Sender(queue, 4);
            senders[i].receive(i);
            assertThat(queue.requestNotification(false)).isZero();
        }
        List<FutureTask<Integer>> waiting = new ArrayList<>();
        for (CompletionChannel each : channels) {
            waiting.add(inThread(() -> each.await(LONG)));
        }

        // The first thread drives; when it leaves, another one has to.
        for (int i = 0; i < channels.length; i++) {
            senders[i].send(0);
            assertThat(waiting.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    /**
     * A sender thread sends bursts of one to four messages at random times; the reader sleeps in the channel. A lost
     * wake-up shows as a wait that lasts until the timeout although a message has arrived.
     */
    @Test
    @Timeout(3600)
    @DisplayName("FL-13: loses no wake-up in many bursts (rdma.test.bursts)")
    void shouldLoseNoWakeUp() throws Exception {
        int bursts = Integer.getInteger("rdma.test.bursts", 2_000);
        int depth = 16;
        SelfNode.Sender sender = node.new Sender(cq, depth);
        for (int i = 0; i < depth; i++) {
            sender.receive(i);
        }
        CompletionWaiter waiter = CompletionWaiter.of(cq);
        Semaphore credits = new Semaphore(depth);
        FutureTask<Integer> sending = inThread(() -> {
            SplittableRandom random = new SplittableRandom(13);
            int sent = 0;
            for (int burst = 0; burst < bursts; burst++) {
                for (int size = 1 + random.nextInt(4); size > 0; size--) {
                    assertThat(credits.tryAcquire(60, TimeUnit.SECONDS))
                            .as("credit after %s", sent)
                            .isTrue();
                    sender.send(0);
                    sent++;
                }
                for (int pause = random.nextInt(2_000); pause > 0; pause--) {
                    Thread.onSpinWait();
                }
            }
            return sent;
        });
        int received = 0;
        int sleptThrough = 0;
        while (!sending.isDone() || received < sending.get()) {
            int taken = waiter.poll(completions, 16, Duration.ofSeconds(10));
            assertThat(taken).isNotNegative();
            // After the last message a wait may time out before the sender reports that it is done.
            sleptThrough = taken == 0 && !sending.isDone() ? sleptThrough + 1 : sleptThrough;
            assertThat(sleptThrough)
                    .as("waits that a message did not end, after %s", received)
                    .isZero();
            for (int i = 0; i < taken; i++) {
                assertThat(completions.status(i)).isZero();
                sender.receive(completions.wrId(i));
            }
            credits.release(taken);
            received += taken;
        }
        assertThat(received).isEqualTo(sending.get(1, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(bursts);
    }

    /** Starts a thread and waits until it runs. */
    private static <T> FutureTask<T> inThread(Callable<T> body) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        FutureTask<T> task = new FutureTask<>(() -> {
            started.countDown();
            return body.call();
        });
        Thread.ofPlatform().daemon().start(task);
        assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
        Thread.sleep(50);
        return task;
    }
}
