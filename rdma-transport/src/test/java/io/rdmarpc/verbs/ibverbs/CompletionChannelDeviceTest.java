package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.CompletionWaiter;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.time.Duration;
import java.time.Instant;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("A completion channel")
class CompletionChannelDeviceTest {

    private static final Duration SHORT = Duration.ofMillis(30);
    private static final Duration LONG = Duration.ofSeconds(60);

    private final DeviceFixture fixture = new DeviceFixture();
    private final CompletionChannel channel = fixture.context.createCompletionChannel();
    private final CompletionQueue cq = fixture.context.createCompletionQueue(64, channel);
    private final WorkCompletions completions = WorkCompletions.allocate(fixture.arena, 16);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldReportACompletionAfterArming() {
        SelfSender sender = new SelfSender(fixture, cq, 16);
        assertThat(cq.channel()).isSameAs(channel);
        assertThat(cq.requestNotification(false)).isZero();
        sender.receive(1);
        sender.sendQuietly();

        assertThat(channel.await(LONG)).isEqualTo(1);
        SelfSender.take(cq, completions, 1);
        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    void whenOnlySolicitedMessagesCountThenOthersCauseNoEvent() {
        ConnectedPair pair = new ConnectedPair(
                fixture,
                new QueuePairConfig(QueuePairType.RC, fixture.cq, cq, ConnectedPair.SMALL, false),
                ConnectedPair.OPEN);
        assertThat(cq.requestNotification(true)).isZero();

        pair.receive(1, 64);
        pair.post(pair.request(0, 2, SendOpcode.SEND, 0, 0, 8));
        SelfSender.take(cq, completions, 1);
        assertThat(channel.await(SHORT)).isZero();

        pair.receive(3, 64);
        pair.post(pair.request(0, 4, SendOpcode.SEND, SendFlags.SOLICITED, 0, 8));
        assertThat(channel.await(LONG)).isEqualTo(1);
        SelfSender.take(cq, completions, 1);
    }

    @Test
    void shouldNotReportCompletionsBeforeArming() {
        SelfSender sender = new SelfSender(fixture, cq, 16);
        sender.receive(1);
        sender.sendQuietly();
        SelfSender.take(cq, completions, 1);
        assertThat(cq.requestNotification(false)).isZero();

        assertThat(channel.await(SHORT)).isZero();
    }

    @Test
    void shouldConsumeTheEventsOfAllItsQueues() {
        CompletionQueue[] queues = new CompletionQueue[5];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = fixture.context.createCompletionQueue(16, channel);
            SelfSender sender = new SelfSender(fixture, queues[i], 4);
            assertThat(queues[i].requestNotification(false)).isZero();
            sender.receive(i);
            sender.sendQuietly();
            SelfSender.take(queues[i], completions, 1);
        }

        assertThat(channel.await(LONG)).isEqualTo(queues.length);
        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    @DisplayName("lets a queue be closed at once although its event was never read")
    void whenAnEventIsUnreadThenItsQueueStillCloses() {
        SelfSender sender = new SelfSender(fixture, cq, 16);
        assertThat(cq.requestNotification(false)).isZero();
        sender.receive(1);
        sender.sendQuietly();
        SelfSender.take(cq, completions, 1);

        cq.close();

        assertThat(channel.await(Duration.ZERO)).isZero();
    }

    @Test
    void shouldWaitForAboutTheTimeOut() {
        Instant start = Instant.now();

        assertThat(channel.await(Duration.ofMillis(200))).isZero();

        assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(Duration.ofMillis(199));
    }

    @Test
    void shouldEndTheCurrentOrNextWaitOnAWakeUp() throws Exception {
        channel.wakeUp();
        channel.wakeUp();
        assertThat(channel.await(LONG)).isZero();
        assertThat(channel.await(SHORT)).isZero();

        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));
        channel.wakeUp();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void whenTheChannelIsClosedThenTheWaitFails() throws InterruptedException, TimeoutException {
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
    void whenTheDeviceIsClosedThenTheWaitFails() throws InterruptedException {
        FutureTask<Integer> waiting = inThread(() -> channel.await(LONG));

        fixture.context.close();

        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS));
    }

    @Test
    void shouldRejectASecondWaitingThread() throws Exception {
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
    void shouldBeRequiredToArmAQueueOfItsDevice() {
        assertThat(fixture.cq.requestNotification(false)).isEqualTo(Errno.EINVAL);
        assertThat(fixture.cq.channel()).isNull();
        try (DeviceFixture other = new DeviceFixture()) {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> other.context.createCompletionQueue(1, channel))
                    .withMessageContaining("belongs to another device");
        }
        fixture.create(QueuePairType.UD);
    }

    /**
     * A sender thread sends bursts of one to four messages at random times. The receiver sleeps in the waiter. A lost
     * wake-up would show as a wait until the timeout although a message has arrived.
     */
    @Test
    @Timeout(3600)
    @DisplayName("FL-13: loses no wake-up in many bursts (rdma.test.bursts)")
    void shouldLoseNoWakeUp() throws Exception {
        int bursts = Integer.getInteger("rdma.test.bursts", 2_000);
        int depth = 16;
        SelfSender sender = new SelfSender(fixture, cq, depth);
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
                    sender.sendQuietly();
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
            // After the last message a wait may time out before the sender reports its end.
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
