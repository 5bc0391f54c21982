package io.rdmarpc.demo.live.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final double IDLE = 0.02;
    private static final double BUSY = 0.5;

    private final WarmUp warmUp = new WarmUp(Duration.ofSeconds(60));

    private void add(double compilerShare, Double... medians) {
        warmUp.add(List.of(medians), compilerShare, SECOND);
    }

    @Test
    void whenNoTransportGetsFasterThenItIsWarm() {
        add(IDLE, 20.0, 300.0);
        add(IDLE, 20.3, 301.0);
        assertThat(warmUp.isOver()).as("before the third interval").isFalse();
        add(IDLE, 20.1, 299.0);

        assertThat(warmUp.isWarm()).isTrue();
        assertThat(warmUp.isOver()).isTrue();
        assertThat(warmUp.view()).isEqualTo(new WarmUpView(3, 60));
    }

    @Test
    void whenOneTransportGetsFasterThenItIsNotWarm() {
        add(IDLE, 20.0, 300.0);
        add(IDLE, 20.0, 300.0);
        add(IDLE, 20.0, 270.0);

        assertThat(warmUp.isOver()).isFalse();
    }

    @Test
    void whenItWasFasterTwoIntervalsAgoThenItIsWarm() {
        add(IDLE, 30.0);
        add(IDLE, 20.0);
        add(IDLE, 20.0);
        assertThat(warmUp.isWarm()).isFalse();
        add(IDLE, 20.0);

        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void whenAnIntervalWasDisturbedThenItDoesNotCount() {
        add(IDLE, 60.0);
        add(IDLE, 20.0);
        add(IDLE, 200.0);
        assertThat(warmUp.isWarm()).isFalse();
        add(IDLE, 20.0);
        add(IDLE, 20.0);

        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void whenTheCompilerIsBusyThenItIsNotWarm() {
        add(BUSY, 20.0);
        add(BUSY, 20.0);
        add(BUSY, 20.0);
        assertThat(warmUp.isWarm()).isFalse();
        add(IDLE, 20.0);

        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void whenATransportCompletesNoCallsThenItIsNotWarm() {
        add(IDLE, 20.0, Double.NaN);
        add(IDLE, 20.0, Double.NaN);
        add(IDLE, 20.0, Double.NaN);

        assertThat(warmUp.isOver()).isFalse();
    }

    @Test
    void whenATransportConnectsThenItIsNotWarmBeforeThreeIntervals() {
        add(IDLE, 20.0);
        add(IDLE, 20.0);
        add(IDLE, 20.0, 100.0);
        assertThat(warmUp.isWarm()).isFalse();
    }

    @Test
    void whenTheTimeIsOverThenItIsOverButNotWarm() {
        for (double median = 1000; warmUp.view().seconds() < 59; median /= 2) {
            add(BUSY, median);
        }
        assertThat(warmUp.isOver()).isFalse();
        add(BUSY, 1e-9);

        assertThat(warmUp.isOver()).isTrue();
        assertThat(warmUp.isWarm()).isFalse();
    }
}
