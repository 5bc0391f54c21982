package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NanoClockTest {

    @Test
    void shouldFollowTheClockOfTheJvm() {
        long before = System.nanoTime();
        long now = NanoClock.SYSTEM.nanoTime();

        assertThat(now - before).isNotNegative();
        assertThat(System.nanoTime() - now).isNotNegative();
    }

    @Test
    void whenFakeThenTheTimeAdvancesOnlyOnRequest() {
        FakeClock clock = new FakeClock(5);
        assertThat(clock.nanoTime()).isEqualTo(5);

        clock.advance(Duration.ofNanos(2_000));
        clock.advanceNanos(3);

        assertThat(clock.nanoTime()).isEqualTo(2_008);
    }
}
