package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A wait with a limit")
@Timeout(60)
class WaitLimitsTest {

    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long SHORT = Duration.ofMillis(30).toNanos();

    private final WaitLimits limits = new WaitLimits();
    private final AtomicBoolean told = new AtomicBoolean();

    /** Returns the time it took, in nanoseconds. */
    private long waitFor(WaitLimits used, long nanos) {
        long start = System.nanoTime();
        while (!told.get()
                && System.nanoTime() - start < nanos
                && !Thread.currentThread().isInterrupted()) {
            used.park(this, start + nanos);
        }
        return System.nanoTime() - start;
    }

    private static void awaitParked(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    @DisplayName("of a virtual thread ends when it is unparked")
    void whenUnparkedThenItEnds() throws InterruptedException {
        Thread waiter = Thread.ofVirtual().start(() -> waitFor(limits, HOUR));
        awaitParked(waiter);
        told.set(true);
        LockSupport.unpark(waiter);

        waiter.join();
    }

    @Test
    @DisplayName("of a virtual thread has no timer of its own")
    void whenItIsVirtualThenItParksWithoutATimer() throws InterruptedException {
        Thread waiter = Thread.ofVirtual().start(() -> waitFor(limits, HOUR));
        awaitParked(waiter);

        assertThat(waiter.getState()).isEqualTo(Thread.State.WAITING);
        told.set(true);
        LockSupport.unpark(waiter);
        waiter.join();
    }

    @Test
    @DisplayName("of a virtual thread ends at its limit if no thread unparks it")
    void whenNoThreadUnparksItThenTheLimitEndsIt() throws InterruptedException {
        List<Long> took = new ArrayList<>();
        Thread waiter = Thread.ofVirtual().start(() -> took.add(waitFor(limits, SHORT)));
        waiter.join();

        assertThat(took.getFirst()).isGreaterThanOrEqualTo(SHORT);
    }

    @Test
    @DisplayName("of a virtual thread ends on an interrupt")
    void whenInterruptedThenItEnds() throws InterruptedException {
        Thread waiter = Thread.ofVirtual().start(() -> waitFor(limits, HOUR));
        awaitParked(waiter);
        waiter.interrupt();

        waiter.join();
    }

    @Test
    @DisplayName("of a platform thread has a timer")
    void whenItIsNoVirtualThreadThenItParksWithATimer() {
        assertThat(waitFor(limits, SHORT)).isGreaterThanOrEqualTo(SHORT);
        assertThat(limits.isWatched()).isFalse();
    }

    @Test
    @DisplayName("ends also for a thread that finds no free entry in the table")
    void whenMoreThreadsWaitThanThereAreEntriesThenAllEnd() throws InterruptedException {
        WaitLimits small = new WaitLimits(2, WaitLimits.INTERVAL, WaitLimits::startVirtually);
        List<Thread> waiters = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            waiters.add(Thread.ofVirtual().start(() -> {
                long _ = waitFor(small, SHORT);
                ended.countDown();
            }));
        }
        for (Thread waiter : waiters) {
            waiter.join();
        }

        assertThat(ended.getCount()).isZero();
    }

    @Test
    @DisplayName("has no watch after a long time without waiting threads, and has one again for the next wait")
    void whenNoThreadWaitsThenTheWatchEndsAndRestarts() throws InterruptedException {
        WaitLimits frequent = new WaitLimits(64, Duration.ofMillis(20), WaitLimits::startVirtually);
        for (int i = 0; i < 2; i++) {
            Thread waiter = Thread.ofVirtual().start(() -> waitFor(frequent, SHORT));
            waiter.join();
            assertThat(frequent.isWatched()).isTrue();
            while (frequent.isWatched()) {
                Thread.sleep(1);
            }
        }
    }

    @Test
    @DisplayName("ends by a timer of its own if the watch cannot be started, and its entry is free again")
    void whenTheWatchCannotBeStartedThenTheWaitEnds() throws InterruptedException {
        WaitLimits unwatched = new WaitLimits(2, WaitLimits.INTERVAL, watch -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        for (int i = 0; i < 10; i++) {
            Thread.ofVirtual().start(() -> waitFor(unwatched, SHORT)).join();
        }

        assertThat(unwatched.isWatched()).isFalse();
        assertThat(unwatched.waiting()).isZero();
    }

    @Test
    @DisplayName("ends with the failure if the watch fails in another way, and its entry is free again")
    void whenTheWatchFailsThenTheEntryIsFree() throws InterruptedException {
        WaitLimits failing = new WaitLimits(2, WaitLimits.INTERVAL, watch -> {
            throw new IllegalStateException("for the test");
        });
        Thread waiter = Thread.ofVirtual().unstarted(() -> waitFor(failing, SHORT));
        waiter.setUncaughtExceptionHandler((thread, e) -> told.set(e instanceof IllegalStateException));
        waiter.start();
        waiter.join();

        assertThat(told).isTrue();
        assertThat(failing.isWatched()).isFalse();
        assertThat(failing.waiting()).isZero();
    }
}
