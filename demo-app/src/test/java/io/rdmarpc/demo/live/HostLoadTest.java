package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class HostLoadTest {

    private final HostLoad load = new HostLoad(4);

    @Test
    void whenNothingIsKnownThenNoCpuIsBusy() {
        load.add(-1, 1);
        load.add(Double.NaN, 1);

        assertThat(load.isSaturated()).isFalse();
        assertThat(load.hasBusyOthers()).isFalse();
    }

    @Test
    void shouldSubtractTheProcessesOfTheDemo() {
        load.add(0.75, 2);

        assertThat(load.others()).isCloseTo(0.25, within(1e-9));
        assertThat(load.hasBusyOthers()).isTrue();
        assertThat(load.isSaturated()).isFalse();
    }

    @Test
    void whenOneIntervalIsIdleThenTheCpusAreStillBusy() {
        for (int interval = 0; interval < 20; interval++) {
            load.add(1, 4);
        }
        load.add(0.6, 2);

        assertThat(load.isSaturated()).isTrue();
        assertThat(load.hasBusyOthers()).isFalse();
    }

    @Test
    void whenTheProcessesReportMoreThanTheHostThenOthersUseNothing() {
        load.add(0.5, 4);

        assertThat(load.others()).isZero();
    }
}
