package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The seat of a loop")
@Timeout(60)
class LoopSeatTest {

    private final LoopSeat seat = new LoopSeat();

    private static Thread run(Runnable task) {
        return Thread.ofPlatform().daemon().start(task);
    }

    @Test
    void whenTakenThenItIsTakenByOneThread() throws InterruptedException {
        assertThat(seat.tryTake()).isTrue();
        AtomicReference<Boolean> other = new AtomicReference<>();
        run(() -> other.set(seat.tryTake())).join();

        assertThat(other.get()).isFalse();
        assertThat(seat.isMine()).isTrue();
        assertThat(seat.tryTake()).as("again").isFalse();
    }

    @Test
    void whenLeftThenItIsFree() {
        seat.tryTake();
        seat.leave();

        assertThat(seat.isHeld()).isFalse();
        assertThat(seat.tryTake()).isTrue();
    }

    @Test
    void whenAnotherThreadLeavesThenItIsRefusedAndTheHolderKeepsIt() throws InterruptedException {
        seat.tryTake();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread other = Thread.ofPlatform().unstarted(seat::leave);
        other.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        other.start();
        other.join();

        assertThat(failure.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("does not hold");
        assertThat(seat.isMine()).isTrue();
    }

    @Test
    void whenAThreadAsksThenItIsHandedOverWithoutBeingFree() throws InterruptedException {
        seat.tryTake();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch got = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread other = run(() -> {
            seat.request();
            asked.countDown();
            while (!seat.isMine()) {
                LockSupport.park(this);
            }
            got.countDown();
            await(done);
            seat.leave();
        });
        asked.await();
        assertThat(seat.isWanted()).isTrue();
        seat.leave();

        assertThat(seat.isHeld()).isTrue();
        assertThat(seat.tryTake()).isFalse();
        assertThat(got.await(30, TimeUnit.SECONDS)).isTrue();
        done.countDown();
        other.join();
        assertThat(seat.isHeld()).isFalse();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whenARequestIsWithdrawnThenItIsForgotten() {
        assertThat(seat.request()).isTrue();
        assertThat(seat.request()).as("again").isFalse();
        assertThat(seat.withdraw()).isTrue();

        assertThat(seat.isWanted()).isFalse();
    }

    @Test
    void whenHeldThenItNamesItsHolder() {
        assertThat(seat.holder()).isNull();
        seat.tryTake();
        assertThat(seat.holder()).isSameAs(Thread.currentThread());
        seat.leave();

        assertThat(seat.holder()).isNull();
    }

    @Test
    void whenAnotherThreadTakesItNextThenItNamesThatOne() throws InterruptedException {
        seat.tryTake();
        seat.leave();
        AtomicReference<Thread> named = new AtomicReference<>();
        Thread next = run(() -> {
            seat.tryTake();
            named.set(seat.holder());
        });
        next.join();

        assertThat(named.get()).isSameAs(next);
        assertThat(seat.isMine()).isFalse();
        assertThat(seat.freeIfHolderHasEnded()).isTrue();
        assertThat(seat.isHeld()).isFalse();
    }

    @Test
    void whenClosedThenNobodyTakesIt() {
        assertThat(seat.close(Duration.ofSeconds(1))).isTrue();
        assertThat(seat.tryTake()).isFalse();
        seat.open();

        assertThat(seat.tryTake()).isTrue();
    }

    @Test
    void whenItIsHeldThenClosingWaits() throws InterruptedException {
        seat.tryTake();
        AtomicReference<Boolean> closed = new AtomicReference<>();
        Thread closer = run(() -> closed.set(seat.close(Duration.ofSeconds(30))));
        while (!seat.isClosed()) {
            Thread.onSpinWait();
        }
        seat.leave();
        closer.join();

        assertThat(closed.get()).isTrue();
    }

    @Test
    void whenClosedThenItIsFreedAndNotHandedOver() throws InterruptedException {
        seat.tryTake();
        run(seat::request).join();
        assertThat(seat.close(Duration.ZERO)).isFalse();
        seat.leave();

        assertThat(seat.isHeld()).isFalse();
    }

    @Test
    void whenOpenedAgainThenItIsHandedOverToAThreadThatStillAsks() throws InterruptedException {
        Thread asks = run(seat::request);
        asks.join();
        seat.close(Duration.ZERO);
        seat.open();
        seat.tryTake();
        seat.leave();

        assertThat(seat.holder()).isEqualTo(asks);
    }

    @Test
    void whenItsHolderStaysThenClosingGivesUp() {
        seat.tryTake();

        assertThat(seat.close(Duration.ofMillis(1))).isFalse();
    }

    /** Four threads take it, ask for it, withdraw: what it guards has one writer at a time, and everyone gets it. */
    @Test
    @DisplayName("FL-13 is held by one thread at a time, and no request is missed")
    void whenManyWantItThenOneHoldsItAndAllGetIt() throws InterruptedException {
        int[] guarded = new int[1];
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        int rounds = 20_000;
        for (int i = 0; i < 4; i++) {
            threads.add(run(() -> {
                for (int round = 0; round < rounds; round++) {
                    take();
                    if (inside.incrementAndGet() != 1) {
                        overlaps.incrementAndGet();
                    }
                    guarded[0]++;
                    inside.decrementAndGet();
                    seat.leave();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(overlaps.get()).isZero();
        assertThat(guarded[0]).isEqualTo(4 * rounds);
        assertThat(seat.isHeld()).isFalse();
        assertThat(seat.isWanted()).isFalse();
    }

    @SuppressWarnings("ThreadPriorityCheck") // Who spins keeps the core from a holder that has just been woken.
    private void take() {
        while (!seat.tryTake()) {
            if (seat.request()) {
                while (!seat.isMine() && !seat.tryTake()) {
                    LockSupport.park(this);
                }
                seat.withdraw();
                return;
            }
            Thread.yield();
        }
    }
}
