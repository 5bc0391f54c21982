package io.rdmarpc.remote.notification;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.remote.Memories;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.RdmaException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("The notification thread")
class NotificationThreadTest {

    private final AtomicInteger delivered = new AtomicInteger();
    private final Channel channel = new Channel();
    private final NotificationThread thread =
            new NotificationThread(channel, _ -> delivered.incrementAndGet(), "notifications under test");

    @AfterEach
    void close() {
        thread.close();
    }

    /** A channel that wakes only by {@link #wakeUp}. */
    private static final class Channel implements CompletionChannel {

        private final Semaphore events = new Semaphore(0);
        private volatile boolean broken;
        private volatile boolean closed;

        @Override
        public int await(Duration timeout) {
            if (broken) {
                broken = false;
                throw new RdmaException("the channel is broken");
            }
            try {
                return events.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS) ? 1 : 0;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void wakeUp() {
            events.release();
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** A queue with a number of notifications, which fails on request. */
    private final class Queue implements NotificationSource {

        private final AtomicInteger left = new AtomicInteger();
        private volatile boolean broken;

        private void add(int notifications) {
            left.addAndGet(notifications);
            channel.wakeUp();
        }

        @Override
        public void arm() {
            check();
        }

        private void check() {
            if (broken) {
                throw new RdmaException("the queue is broken");
            }
        }

        @Override
        public int poll(List<NotificationQueue.Notification> into) {
            check();
            if (left.get() == 0) {
                return 0;
            }
            left.decrementAndGet();
            into.add(new NotificationQueue.Notification(null, 0, 0));
            return 1;
        }

        @Override
        public void pollAll(List<NotificationQueue.Notification> into) {
            while (poll(into) > 0) {
                check();
            }
        }
    }

    @Test
    @DisplayName("continues with the other queues when one queue fails")
    void whenOneQueueFailsThenTheOthersContinue() {
        Queue first = new Queue();
        Queue second = new Queue();
        thread.watch(first);
        thread.watch(second);
        first.broken = true;
        second.add(3);
        Memories.await("the notifications", () -> delivered.get() == 3);
    }

    @Test
    @DisplayName("continues when the channel fails")
    void whenTheChannelFailsThenItContinues() {
        Queue queue = new Queue();
        channel.broken = true;
        thread.watch(queue);
        Memories.await("the failure", () -> !channel.broken);
        queue.add(2);
        Memories.await("the notifications", () -> delivered.get() == 2);
    }

    @Test
    @DisplayName("runs a task after pending notifications, even if the queue fails")
    void whenATaskWaitsThenItRunsAfterPendingNotifications() {
        Queue queue = new Queue();
        thread.watch(queue);
        queue.add(500);
        CompletableFuture<Integer> deliveredBefore = new CompletableFuture<>();
        assertThat(thread.afterPending(queue, () -> deliveredBefore.complete(delivered.get())))
                .isTrue();
        assertThat(Memories.get(deliveredBefore)).isEqualTo(500);
        queue.broken = true;
        CompletableFuture<Void> after = new CompletableFuture<>();
        if (thread.afterPending(queue, () -> after.complete(null))) {
            Memories.get(after);
        }
        assertThat(thread.afterPending(new Queue(), () -> delivered.set(0))).isFalse();
        assertThat(delivered).hasValue(500);
    }

    @Test
    @DisplayName("is joined by the closing thread despite an interrupt, so that the channel outlives it")
    void whenTheClosingThreadIsInterruptedThenTheChannelStaysOpenUntilTheThreadEnds() throws InterruptedException {
        CountDownLatch listening = new CountDownLatch(1);
        CompletableFuture<Void> listenerMayReturn = new CompletableFuture<>();
        NotificationThread held = new NotificationThread(
                channel,
                _ -> {
                    listening.countDown();
                    Memories.get(listenerMayReturn);
                },
                "a notification under test");
        Queue queue = new Queue();
        queue.add(1);
        held.watch(queue);
        listening.await();
        Thread closing = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            held.close();
        });
        Memories.await(
                "the closing thread to wait or to end",
                () -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());

        assertThat(channel.closed).isFalse();
        listenerMayReturn.complete(null);
        closing.join();
        assertThat(channel.closed).isTrue();
    }
}
