package io.rdmarpc.verbs.ibverbs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The lifetime of a native object")
class LifetimeTest {

    private final Lifetime lifetime = new Lifetime("queue pair", "rxe0");
    private final List<String> log = new ArrayList<>();

    @Test
    void shouldEndOnceInTheOrderOfTheSteps() {
        lifetime.end(() -> log.add("children"), () -> log.add("self"));
        lifetime.end(() -> log.add("again"));

        assertThat(log).containsExactly("children", "self");
    }

    @Test
    void shouldRejectVerbsAfterItsEnd() {
        lifetime.end();

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> lifetime.whileOpen("ibv_modify_qp", () -> log.add("ran")))
                .withMessageContaining("ibv_modify_qp on rxe0 failed")
                .withMessageContaining("The queue pair is closed")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(log).isEmpty();
    }

    @Test
    void whenAStepFailsThenTheOthersRunAndTheFirstFailureIsThrown() {
        assertThatIllegalStateException()
                .isThrownBy(() -> lifetime.end(failing("first"), () -> log.add("self"), failing("second")))
                .withMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(log).containsExactly("self");
    }

    @Test
    void shouldEndOnlyWhenNoVerbRuns() throws InterruptedException {
        CountDownLatch inVerb = new CountDownLatch(1);
        CountDownLatch verbMayReturn = new CountDownLatch(1);
        AtomicBoolean verbReturned = new AtomicBoolean();
        AtomicBoolean endedTooEarly = new AtomicBoolean();
        Thread verb = Thread.ofVirtual()
                .start(() -> lifetime.whileOpen("ibv_query_qp", () -> {
                    inVerb.countDown();
                    await(verbMayReturn);
                    verbReturned.set(true);
                    return 0;
                }));
        await(inVerb);
        Thread end = Thread.ofVirtual().start(() -> lifetime.end(() -> endedTooEarly.set(!verbReturned.get())));

        assertThat(end.join(java.time.Duration.ofMillis(20))).isFalse();
        verbMayReturn.countDown();
        verb.join();
        end.join();
        assertThat(endedTooEarly).isFalse();
    }

    @Test
    void shouldCloseChildrenNewestFirst() {
        Children children = new Children();
        for (String name : List.of("memory", "queue pair", "handle")) {
            children.add(() -> log.add(name));
        }

        children.closeAll();

        assertThat(log).containsExactly("handle", "queue pair", "memory");
    }

    private static Runnable failing(String message) {
        return () -> {
            throw new IllegalStateException(message);
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
