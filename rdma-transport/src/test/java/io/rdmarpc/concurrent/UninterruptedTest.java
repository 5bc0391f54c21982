package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A wait that an interrupt does not end")
@Timeout(60)
class UninterruptedTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void whenInterruptedThenItContinuesAndKeepsTheInterrupt() {
        AtomicInteger looks = new AtomicInteger();
        Thread.currentThread().interrupt();

        boolean over = Uninterrupted.await(LONG, nanos -> {
            if (looks.incrementAndGet() < 3) {
                throw new InterruptedException();
            }
            return true;
        });

        assertThat(over).isTrue();
        assertThat(looks).hasValue(3);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whenNotInterruptedThenThereIsNoInterruptAfterwards() {
        assertThat(Uninterrupted.await(LONG, nanos -> true)).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void whenTheLimitHasPassedThenItEnds() {
        CountDownLatch never = new CountDownLatch(1);

        assertThat(Uninterrupted.await(Duration.ofMillis(1), nanos -> never.await(nanos, TimeUnit.NANOSECONDS)))
                .isFalse();
        assertThat(Uninterrupted.await(Duration.ZERO, nanos -> nanos == 0)).isTrue();
    }

    @Test
    void whenAThreadEndsThenItIsJoinedDespiteAnInterrupt() {
        CountDownLatch letGo = new CountDownLatch(1);
        Thread joined = Thread.ofVirtual().start(() -> {
            try {
                letGo.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(Uninterrupted.join(joined, Duration.ofMillis(1))).isFalse();
        letGo.countDown();
        Thread.currentThread().interrupt();
        assertThat(Uninterrupted.join(joined, LONG)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }
}
