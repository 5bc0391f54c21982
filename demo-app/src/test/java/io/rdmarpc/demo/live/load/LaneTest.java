package io.rdmarpc.demo.live.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LaneTest {

    private static final long HALF_A_SECOND = TimeUnit.MILLISECONDS.toNanos(500);

    private long bytes;
    private final Lane lane = new Lane("HTTP", () -> bytes);

    private void completeCalls(int calls) {
        for (int call = 0; call < calls; call++) {
            lane.succeeded(System.nanoTime());
        }
    }

    @Test
    void shouldCountCallsBytesAndCpuOfItsOwnTime() {
        lane.open();
        completeCalls(100);
        bytes += 5_000;
        lane.close(Duration.ZERO);
        bytes += 1_000_000;
        lane.worked(HALF_A_SECOND, TimeUnit.MILLISECONDS.toNanos(250), true);

        LaneView view = lane.view();

        assertThat(view.perSecond()).isEqualTo(200);
        assertThat(view.bytesPerCall()).isEqualTo(50);
        assertThat(view.cpuMicrosPerCall()).isEqualTo(2_500);
        assertThat(view.cpus()).isEqualTo(0.5);
    }

    @Test
    void whenIntervalsDifferThenRatesCoverTheLastIntervals() {
        completeCalls(100);
        lane.worked(HALF_A_SECOND, TimeUnit.MILLISECONDS.toNanos(250), true);
        lane.view();
        completeCalls(300);
        lane.worked(HALF_A_SECOND, TimeUnit.MILLISECONDS.toNanos(150), true);

        LaneView view = lane.view();

        assertThat(view.perSecond()).isEqualTo(400);
        assertThat(view.nowPerSecond()).isEqualTo(600);
        assertThat(view.cpuMicrosPerCall()).isEqualTo(1_000);
        assertThat(view.cpus()).isEqualTo(0.3);
    }

    @Test
    void whenTheLaneDoesNotWorkThenTheLastIntervalsKeepTheirRates() {
        completeCalls(100);
        lane.worked(HALF_A_SECOND, TimeUnit.MILLISECONDS.toNanos(250), true);
        lane.view();

        LaneView view = lane.view();

        assertThat(view.perSecond()).isEqualTo(200);
        assertThat(view.nowPerSecond()).isZero();
        assertThat(view.cpus()).isNull();
    }

    @Test
    void whenSeveralTransportsWorkAtOnceThenCpuIsUnknown() {
        completeCalls(1);
        lane.worked(HALF_A_SECOND, HALF_A_SECOND, false);

        LaneView view = lane.view();

        assertThat(view.cpuMicrosPerCall()).isNull();
        assertThat(view.cpus()).isNull();
    }

    @Test
    void whenIntervalsPassThenOldCallsLeaveTheRecentOnes() {
        completeCalls(7);
        assertThat(lane.view().recent().calls()).isEqualTo(7);
        for (int interval = 0; interval < Lane.RECENT_INTERVALS; interval++) {
            lane.view();
        }

        assertThat(lane.view().recent().calls()).isZero();
        assertThat(lane.view().calls()).as("total").isEqualTo(7);
    }

    @Test
    void whenAFutureFailsThenTheViewHasItsReason() {
        lane.failed(new CompletionException(new IllegalStateException("no such order")));

        LaneView view = lane.view();

        assertThat(view.failures()).isOne();
        assertThat(view.lastFailure()).isEqualTo("no such order");
        assertThat(lane.view().lastFailure()).as("an interval later").isNull();
    }
}
