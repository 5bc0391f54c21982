package io.rdmarpc.rpc.control.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The event loop of control connections")
@Timeout(60)
class ControlLoopTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ControlLoop loop = new ControlLoop(NanoClock.SYSTEM);

    @AfterEach
    void close() {
        loop.halt();
        loop.close();
    }

    @Test
    @DisplayName("does not block a thread that submits a task while another thread runs tasks, which may wait for it")
    void whenATaskWaitsForAnotherThreadThenThatOneCanSubmitATask() {
        AtomicBoolean submitted = new AtomicBoolean();
        AtomicInteger ran = new AtomicInteger();
        loop.execute(() -> {
            Thread other = Thread.ofPlatform().daemon().start(() -> loop.execute(ran::incrementAndGet));
            try {
                submitted.set(other.join(PATIENCE));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        assertThat(submitted).as("the other thread continued").isTrue();
        assertThat(ran).as("its task").hasValue(1);
    }

    @Test
    @DisplayName("continues after a task, a timer and a channel that throw any throwable")
    void whenTasksThrowThenOthersRun() throws InterruptedException {
        List<Error> errors = List.of(
                new InternalError("on purpose"),
                new OutOfMemoryError("on purpose"),
                new StackOverflowError("on purpose"));
        loop.resume();
        AtomicBoolean turning = new AtomicBoolean(true);
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            while (turning.get()) {
                loop.doWork();
            }
        });
        List<String> ran = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        for (Error error : errors) {
            loop.execute(() -> {
                loop.after(Duration.ZERO, () -> {
                    throw error;
                });
                throw error;
            });
        }
        loop.execute(() -> loop.after(Duration.ofMillis(20), () -> {
            ran.add("a later one");
            done.countDown();
        }));

        assertThat(done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(ran).containsExactly("a later one");
        turning.set(false);
        loop.wake();
        assertThat(thread.join(PATIENCE)).isTrue();
    }
}
