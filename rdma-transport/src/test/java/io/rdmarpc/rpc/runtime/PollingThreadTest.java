package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.concurrent.LoopOwnership;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PollingThreadTest {

    private static final Duration FOREVER = Duration.ofHours(1);

    private final AtomicInteger cycles = new AtomicInteger();
    private final AtomicInteger work = new AtomicInteger();
    private final LoopOwnership ownership = new LoopOwnership();
    private final PollingThread thread = new PollingThread("rdma-poll-test", 10, FOREVER);

    @AfterEach
    void close() {
        assertThat(thread.stop(LONG)).isTrue();
        assertThat(Runtimes.threads()).doesNotContain("rdma-poll-test");
    }

    private int runCycle() {
        cycles.incrementAndGet();
        return work.getAndUpdate(left -> Math.max(0, left - 1));
    }

    private void start() {
        thread.start(this::runCycle, () -> work.get() > 0, ownership);
    }

    @Test
    @DisplayName("FL-13 announced work wakes the thread, however often: no wake-up is lost")
    void whenWorkComesThenTheThreadWakes() {
        start();
        for (int i = 0; i < 20_000; i++) {
            work.incrementAndGet();
            ownership.wake();
            if (i % 100 == 0) {
                Runtimes.await("the work to be done", () -> work.get() == 0);
            }
        }
        Runtimes.await("the work to be done", () -> work.get() == 0);
    }

    @Test
    void whenItSleepsThenItStopsAtOnce() {
        start();
        Runtimes.await("a duty cycle", () -> cycles.get() > 10);

        assertThat(thread.stop(LONG)).isTrue();
        assertThat(thread.isRunning()).isFalse();
    }

    @Test
    void whenItWasStoppedThenItCanBeStartedAgain() {
        for (int round = 0; round < 20; round++) {
            int before = cycles.get();
            start();
            assertThat(thread.isRunning()).isTrue();
            Runtimes.await("a duty cycle", () -> cycles.get() > before);
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
    void whenTheEngineThrowsThenItsLoopContinues() {
        AtomicInteger throwing = new AtomicInteger();
        thread.start(
                () -> {
                    if (throwing.incrementAndGet() < 5) {
                        throw new IllegalStateException("on purpose");
                    }
                    return 0;
                },
                () -> throwing.get() < 5,
                ownership);

        Runtimes.await("it to continue", () -> throwing.get() >= 5);
    }

    @Test
    void whenTheEngineIsStuckThenStoppingReportsThat() throws InterruptedException {
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
                () -> false,
                ownership);
        stuck.await();

        assertThat(thread.stop(Duration.ofMillis(20))).isFalse();
        assertThatIllegalStateException().isThrownBy(this::start);

        release.countDown();
    }

    @Test
    void whenTheStoppingThreadIsInterruptedThenItStillWaits() {
        start();
        Thread.currentThread().interrupt();
        boolean stopped = thread.stop(LONG);
        boolean interrupted = Thread.interrupted();

        assertThat(stopped).isTrue();
        assertThat(interrupted).isTrue();
    }

    private static List<Error> errors() {
        return List.of(
                new InternalError("on purpose"),
                new OutOfMemoryError("on purpose"),
                new StackOverflowError("on purpose"));
    }

    @Test
    @DisplayName("stays alive if the engine, or its idle strategy, throws any throwable")
    void whenTheIdleStrategyThrowsThenItLives() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger throwing = new AtomicInteger();
        thread.start(
                () -> {
                    int number = cycles.incrementAndGet();
                    if (number <= 3) {
                        throw errors().get(number - 1);
                    }
                    return 0;
                },
                // Called before each sleep.
                () -> {
                    int number = asked.incrementAndGet();
                    if (number <= 3) {
                        throwing.incrementAndGet();
                        throw errors().get(number - 1);
                    }
                    return false;
                },
                ownership);
        Runtimes.await("it to continue", () -> throwing.get() == 3 && asked.get() > 3);

        assertThat(thread.isAlive()).isTrue();
        int before = cycles.get();
        ownership.wake();
        Runtimes.await("a duty cycle", () -> cycles.get() > before);
    }

    @Test
    @DisplayName("whose thread has died gets a new one")
    void whenItsThreadHasDiedThenItIsRevived() {
        AtomicInteger made = new AtomicInteger();
        PollingThread mortal = new PollingThread("rdma-poll-test", IdlePolicy.ADAPTIVE, 10, FOREVER, -1, task -> {
            // The first thread ends before it has run a duty cycle.
            Runnable life = made.incrementAndGet() == 1 ? () -> {} : task;
            return Thread.ofPlatform().daemon().name("rdma-poll-test").unstarted(life);
        });
        mortal.start(this::runCycle, () -> work.get() > 0, ownership);
        Runtimes.await("its death", mortal::isDead);
        assertThat(mortal.isAlive()).isFalse();

        mortal.revive();

        Runtimes.await("a duty cycle", () -> cycles.get() > 0);
        assertThat(mortal.isDead()).isFalse();
        mortal.revive();
        assertThat(made).as("threads while the second one is alive").hasValue(2);
        assertThat(mortal.stop(LONG)).isTrue();
        assertThat(mortal.isDead()).isFalse();
        assertThat(thread.stop(LONG)).isTrue();
    }
}
