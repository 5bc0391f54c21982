package io.rdmarpc.demo.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.compare.WarmUp.Slice;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final WarmUp warmUp = new WarmUp(Duration.ofSeconds(10));

    private void add(double... medians) {
        for (double median : medians) {
            warmUp.add(new Slice(median, 0), SECOND);
        }
    }

    @Test
    void whenThereAreOnlyTwoSlicesThenItIsNotWarm() {
        add(5, 5);
        assertThat(warmUp.isWarm()).isFalse();
    }

    @Test
    void whenTheLastSliceIsNoFasterThanTheLastTwoThenItIsWarm() {
        add(9, 5, 5, 4.9);
        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void whenTheLastSliceIsFasterThanOneOfTheLastTwoThenItIsNotWarm() {
        add(9, 5, 5);
        assertThat(warmUp.isWarm()).isFalse();
    }

    @Test
    void whenTheLastSliceIsMuchSlowerThanTheFastestThenItIsNotWarm() {
        add(26, 13, 5, 230);
        assertThat(warmUp.isWarm()).isFalse();
        add(5.1, 5.1);
        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void whenTheCompilerWorksThenItIsNotWarm() {
        add(5, 5);
        warmUp.add(new Slice(5, 11), SECOND);
        assertThat(warmUp.isWarm()).isFalse();
    }

    @Test
    void whenTheLimitIsReachedThenItIsOver() {
        add(19, 18, 17, 16, 15, 14, 13, 12, 11);
        assertThat(warmUp.isOver()).isFalse();
        add(10);
        assertThat(warmUp.isOver()).isTrue();
        assertThat(warmUp.isWarm()).isFalse();
        assertThat(warmUp.progress()).isEqualTo("10 s, p50 10.0 µs");
    }

    @Test
    void shouldBecomeALineAndBack() {
        Slice slice = new Slice(4.125, 12.5);
        assertThat(Slice.ofLine(slice.toLine())).isEqualTo(slice);
    }
}
