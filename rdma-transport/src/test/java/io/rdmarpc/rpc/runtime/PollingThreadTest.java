package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PollingThreadTest {

    private static final Duration FOR_EVER = Duration.ofHours(1);

    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger work = new AtomicInteger();
    private final PollingThread thread = new PollingThread("rdma-poll-test", 10, FOR_EVER);

    @AfterEach
    void close() {
        assertThat(thread.stop(LONG)).isTrue();
        assertThat(Runtimes.threads()).doesNotContain("rdma-poll-test");
    }

    private int turn() {
        turns.incrementAndGet();
        return work.getAndUpdate(left -> Math.max(0, left - 1));
    }

    private void start() {
        thread.start(this::turn, () -> work.get() > 0);
    }

    @Test
    @DisplayName("FL-13 work that is announced wakes the thread, however often: no wake-up is lost")
    void whenWorkComesThenTheThreadWakes() {
        start();
        for (int i = 0; i < 20_000; i++) {
            work.incrementAndGet();
            thread.wake();
            if (i % 100 == 0) {
                Runtimes.await("the work to be done", () -> work.get() == 0);
            }
        }
        Runtimes.await("the work to be done", () -> work.get() == 0);
    }

    @Test
    void whenItSleepsThenItStopsAtOnce() {
        start();
        Runtimes.await("it to turn", () -> turns.get() > 10);

        assertThat(thread.stop(LONG)).isTrue();
        assertThat(thread.isRunning()).isFalse();
    }

    @Test
    void whenItWasStoppedThenItCanBeStartedAgain() {
        for (int round = 0; round < 20; round++) {
            int before = turns.get();
            start();
            assertThat(thread.isRunning()).isTrue();
            Runtimes.await("it to turn", () -> turns.get() > before);
            assertThat(thread.stop(LONG)).isTrue();
            assertThat(thread.stop(LONG)).as("again").isTrue();
        }
    }

    @Test
    void whenItRunsThenItIsNotStartedTwice() {
        start();

        assertThatIllegalStateException().isThrownBy(this::start);
    }

    @Test
    void whenTheEngineThrowsThenItIsTurnedOn() {
        AtomicInteger throwing = new AtomicInteger();
        thread.start(
                () -> {
                    if (throwing.incrementAndGet() < 5) {
                        throw new IllegalStateException("on purpose");
                    }
                    return 0;
                },
                () -> throwing.get() < 5);

        Runtimes.await("it to go on", () -> throwing.get() >= 5);
    }

    @Test
    void whenTheEngineIsStuckThenStoppingSaysSo() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        thread.start(
                () -> {
                    stuck.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return 0;
                },
                () -> false);
        stuck.await();

        assertThat(thread.stop(Duration.ofMillis(20))).isFalse();
        assertThatIllegalStateException().isThrownBy(this::start);

        release.countDown();
    }

    @Test
    void whenTheStoppingThreadIsInterruptedThenItWaitsAllTheSame() {
        start();
        Thread.currentThread().interrupt();
        boolean stopped = thread.stop(LONG);
        boolean interrupted = Thread.interrupted();

        assertThat(stopped).isTrue();
        assertThat(interrupted).isTrue();
    }
}
