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
@DisplayName("The thread that tells of notices")
class NotificationThreadTest {

    private final AtomicInteger told = new AtomicInteger();
    private final Channel channel = new Channel();
    private final NotificationThread thread =
            new NotificationThread(channel, _ -> told.incrementAndGet(), "notices under test");

    @AfterEach
    void close() {
        thread.close();
    }

    /** Wakes nobody but by {@link #wakeUp}. */
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

    /** A queue with so many notices, which fails or not. */
    private final class Queue implements NotificationSource {

        private final AtomicInteger left = new AtomicInteger();
        private volatile boolean broken;

        private void come(int notices) {
            left.addAndGet(notices);
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
    @DisplayName("goes on telling of one peer's when the queue of another fails")
    void whenOneQueueFailsThenTheOthersGoOn() {
        Queue first = new Queue();
        Queue second = new Queue();
        thread.watch(first);
        thread.watch(second);
        first.broken = true;
        second.come(3);
        Memories.await("the notices", () -> told.get() == 3);
    }

    @Test
    @DisplayName("goes on when the channel fails")
    void whenTheChannelFailsThenItGoesOn() {
        Queue queue = new Queue();
        channel.broken = true;
        thread.watch(queue);
        Memories.await("the failure", () -> !channel.broken);
        queue.come(2);
        Memories.await("the notices", () -> told.get() == 2);
    }

    @Test
    @DisplayName("whoever waits for what has come goes on behind it, also when the queue fails")
    void whenSomebodyWaitsThenItGoesOnBehindWhatHasCome() {
        Queue queue = new Queue();
        thread.watch(queue);
        queue.come(500);
        CompletableFuture<Integer> toldBefore = new CompletableFuture<>();
        assertThat(thread.afterPending(queue, () -> toldBefore.complete(told.get())))
                .isTrue();
        assertThat(Memories.get(toldBefore)).isEqualTo(500);
        queue.broken = true;
        CompletableFuture<Void> after = new CompletableFuture<>();
        if (thread.afterPending(queue, () -> after.complete(null))) {
            Memories.get(after);
        }
        assertThat(thread.afterPending(new Queue(), () -> told.set(0))).isFalse();
        assertThat(told).hasValue(500);
    }

    @Test
    @DisplayName("is waited for by who closes it, whatever interrupts: the channel must not go from under it")
    void whenWhoClosesItIsInterruptedThenTheChannelStaysUntilItHasEnded() throws InterruptedException {
        CountDownLatch listening = new CountDownLatch(1);
        CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
        NotificationThread held = new NotificationThread(
                channel,
                _ -> {
                    listening.countDown();
                    Memories.get(mayGoOn);
                },
                "a notice under test");
        Queue queue = new Queue();
        queue.come(1);
        held.watch(queue);
        listening.await();
        Thread closing = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            held.close();
        });
        Memories.await(
                "the one who closes to wait, or to be through",
                () -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());

        assertThat(channel.closed).isFalse();
        mayGoOn.complete(null);
        closing.join();
        assertThat(channel.closed).isTrue();
    }
}
