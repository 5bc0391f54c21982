package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class IdleStrategyTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @Test
    @Timeout(10)
    void whenThereWasWorkThenTheLoopContinues() {
        IdleStrategy idle = new BackoffIdleStrategy(() -> false, 0, 0, LONG, LONG);

        for (int round = 0; round < 1_000; round++) {
            idle.idle(1);
        }
    }

    @Test
    @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
    void shouldCheckForWorkOnlyBeforeItParks() {
        AtomicInteger looks = new AtomicInteger();
        IdleStrategy idle = new BackoffIdleStrategy(() -> looks.incrementAndGet() > 0, 3, 2, LONG, LONG);

        for (int round = 0; round < 5; round++) {
            idle.idle(0);
        }
        assertThat(looks).hasValue(0);

        idle.idle(0);
        assertThat(looks).hasValue(1);
    }

    @Test
    @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
    void whenWorkIsFoundBeforeParkingThenItSpinsAgain() {
        AtomicInteger looks = new AtomicInteger();
        IdleStrategy idle = new BackoffIdleStrategy(() -> looks.incrementAndGet() > 0, 1, 0, LONG, LONG);

        for (int round = 0; round < 4; round++) {
            idle.idle(0);
        }

        assertThat(looks).hasValue(2);
    }

    @Test
    void shouldParkForADoublingTimeUpToTheLongest() {
        BackoffIdleStrategy idle =
                new BackoffIdleStrategy(() -> false, 0, 0, Duration.ofNanos(10), Duration.ofNanos(35));

        for (long expected : new long[] {10, 20, 35, 35}) {
            assertThat(idle.nextParkNanos()).isEqualTo(expected);
            idle.idle(0);
        }

        idle.idle(1);
        assertThat(idle.nextParkNanos()).isEqualTo(10);
    }

    @Test
    @Timeout(20)
    void whenWokenWhileParkedThenTheLoopContinues() throws InterruptedException {
        IdleStrategy idle = new BackoffIdleStrategy(() -> false, 0, 0, LONG, LONG);
        Thread loop = Thread.ofPlatform().start(() -> idle.idle(0));
        while (LockSupport.getBlocker(loop) == null) {
            Thread.onSpinWait();
        }

        idle.wake();

        loop.join();
    }

    @Test
    @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
    void whenWorkArrivesRightAfterTheLastCheckThenTheLoopDoesNotSleep() {
        AtomicReference<IdleStrategy> idle = new AtomicReference<>();
        BooleanSupplier workArrivesAfterThis = () -> {
            idle.get().wake();
            return false;
        };
        idle.set(new BackoffIdleStrategy(workArrivesAfterThis, 0, 0, LONG, LONG));

        idle.get().idle(0);
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    @SuppressWarnings("ThreadPriorityCheck") // A spinning thread keeps the core from the thread it waits for.
    void shouldLoseNoWakeUp() throws InterruptedException {
        int rounds = 3_000;
        MpscInbox<Ball> toLoop = new MpscInbox<>();
        AtomicInteger answered = new AtomicInteger();
        IdleStrategy idle = new BackoffIdleStrategy(() -> !toLoop.isEmpty(), 2, 1, LONG, LONG);
        AtomicBoolean stop = new AtomicBoolean();
        Thread loop = Thread.ofPlatform().daemon().start(() -> {
            while (!stop.get()) {
                Ball ball = toLoop.poll();
                if (ball != null) {
                    answered.incrementAndGet();
                    stop.set(ball.last);
                }
                idle.idle(ball == null ? 0 : 1);
            }
        });

        for (int round = 1; round <= rounds; round++) {
            toLoop.offer(new Ball(round == rounds));
            idle.wake();
            while (answered.get() < round) {
                Thread.yield();
            }
        }

        loop.join();
    }

    @Test
    @Timeout(10)
    void whenBusySpinningThenItNeverSleeps() {
        IdleStrategy idle = new BusySpinIdleStrategy();

        for (int round = 0; round < 1_000; round++) {
            idle.idle(0);
            idle.idle(1);
            idle.wake();
        }
    }

    @Test
    void shouldRejectInvalidSettings() {
        Duration milli = Duration.ofMillis(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BackoffIdleStrategy(() -> false, -1, 0, milli, milli));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BackoffIdleStrategy(() -> false, 0, 0, Duration.ZERO, milli));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BackoffIdleStrategy(() -> false, 0, 0, LONG, milli))
                .withMessageContaining("PT10M to PT0.001S");
    }

    private static final class Ball extends InboxNode {

        final boolean last;

        Ball(boolean last) {
            this.last = last;
        }
    }
}
