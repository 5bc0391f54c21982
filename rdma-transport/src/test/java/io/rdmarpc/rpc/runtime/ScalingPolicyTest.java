package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The number of active engines")
class ScalingPolicyTest {

    private static final int MAX = 4;

    private final ScalingPolicy policy = new ScalingPolicy(MAX);
    private long now = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos();
    private int active = 1;
    private double idle = 8;

    /** Measures the same utilization of the active engines for a time. */
    private void pass(Duration time, double... utilization) {
        double[] all = new double[MAX];
        System.arraycopy(utilization, 0, all, 0, utilization.length);
        for (long left = time.toNanos(); left > 0; left -= ScalingPolicy.INTERVAL.toNanos()) {
            now += ScalingPolicy.INTERVAL.toNanos();
            active = policy.next(active, all, () -> idle, now);
        }
    }

    private void grow() {
        pass(ScalingPolicy.INTERVAL, 1);
        assertThat(active).isEqualTo(2);
    }

    @Test
    @DisplayName("grows when the engine has been saturated for an interval and processors are idle")
    void whenSaturatedThenItGrows() {
        pass(ScalingPolicy.INTERVAL, 0.95);

        assertThat(active).isEqualTo(2);
    }

    @Test
    @DisplayName("stays when the engine has time left")
    void whenNotSaturatedThenItStays() {
        pass(Duration.ofMinutes(1), 0.85);

        assertThat(active).isEqualTo(1);
    }

    @Test
    @DisplayName("stays when no processor is idle")
    void whenProcessorsAreBusyThenItStays() {
        idle = 0.9;
        pass(Duration.ofMinutes(1), 1);

        assertThat(active).isEqualTo(1);
    }

    @Test
    @DisplayName("stays while sessions move to the new engine")
    void whenItHasGrownThenItWaitsForTheSessions() {
        grow();
        pass(ScalingPolicy.SETTLING.minus(ScalingPolicy.INTERVAL), 1, 1);
        assertThat(active).isEqualTo(2);

        pass(ScalingPolicy.INTERVAL, 1, 1);

        assertThat(active).isEqualTo(3);
    }

    @Test
    @DisplayName("stays when one engine is saturated and the other has time: sessions move instead")
    void whenOnlyOneIsSaturatedThenItStays() {
        grow();
        pass(Duration.ofMinutes(1), 1, 0.4);

        assertThat(active).isEqualTo(2);
    }

    @Test
    @DisplayName("does not exceed the maximum")
    void whenSaturatedForLongThenItStaysAtTheMaximum() {
        pass(Duration.ofMinutes(1), 1, 1, 1, 1);

        assertThat(active).isEqualTo(MAX);
    }

    @Test
    @DisplayName("shrinks when the new engine got no part of the load, and does not grow for a while")
    void whenTheNewEngineIsOfNoUseThenItShrinksAndPauses() {
        grow();
        pass(ScalingPolicy.TRIAL, 1, 0.01);
        assertThat(active).isEqualTo(1);

        pass(ScalingPolicy.FIRST_PAUSE.minus(ScalingPolicy.INTERVAL), 1);
        assertThat(active).isEqualTo(1);
        pass(ScalingPolicy.INTERVAL, 1);
        assertThat(active).isEqualTo(2);
    }

    @Test
    @DisplayName("pauses for longer times while new engines are of no use, up to a limit")
    void whenNewEnginesAreOfNoUseThenPausesGrow() {
        Duration pause = ScalingPolicy.FIRST_PAUSE;
        for (int i = 0; i < 8; i++) {
            pass(ScalingPolicy.INTERVAL, 1);
            assertThat(active).as("attempt %d", i).isEqualTo(2);
            pass(ScalingPolicy.TRIAL, 1, 0.01);
            assertThat(active).as("attempt %d", i).isEqualTo(1);
            pass(pause.minus(ScalingPolicy.INTERVAL), 1);
            assertThat(active).as("pause %d", i).isEqualTo(1);
            pause = pause.multipliedBy(2).compareTo(ScalingPolicy.MAX_PAUSE) < 0
                    ? pause.multipliedBy(2)
                    : ScalingPolicy.MAX_PAUSE;
        }
    }

    @Test
    @DisplayName("keeps a new engine whose load has ended during its trial until the load was low for a while")
    void whenTheLoadEndsDuringTheTrialThenItIsNoFailure() {
        grow();
        pass(ScalingPolicy.RELAXED_FOR, 0.01, 0);
        assertThat(active).isEqualTo(2);
        pass(ScalingPolicy.INTERVAL.multipliedBy(6), 0.01, 0);
        assertThat(active).isEqualTo(1);

        pass(ScalingPolicy.SETTLING, 1);

        assertThat(active).as("no pause").isEqualTo(2);
    }

    @Test
    @DisplayName("stays when the load was low for a short time only")
    void whenTheLoadReturnsThenItStays() {
        grow();
        for (int i = 0; i < 10; i++) {
            pass(ScalingPolicy.RELAXED_FOR.minusSeconds(1), 0.2, 0.2);
            pass(ScalingPolicy.INTERVAL, 0.6, 0.6);
        }

        assertThat(active).isEqualTo(2);
    }

    @Test
    @DisplayName("stays when the other engines would be busy for more than half of their time")
    void whenTheOthersWouldBeBusyThenItStays() {
        grow();
        pass(Duration.ofMinutes(1), 0.26, 0.26);

        assertThat(active).isEqualTo(2);
    }

    @Test
    @DisplayName("does not grow for a while after an engine could not be opened")
    void whenAnEngineCannotBeOpenedThenItPauses() {
        grow();
        active = 1;
        policy.failed(now);
        pass(ScalingPolicy.FIRST_PAUSE.minus(ScalingPolicy.INTERVAL), 1);
        assertThat(active).isEqualTo(1);

        pass(ScalingPolicy.INTERVAL, 1);

        assertThat(active).isEqualTo(2);
    }
}
