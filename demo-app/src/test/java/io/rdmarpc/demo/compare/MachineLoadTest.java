package io.rdmarpc.demo.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineLoadTest {

    @Test
    void whenOtherProgramsAreIdleThenItSaysHowMuchTheyUsed() {
        assertThat(MachineLoad.describe(0.02, 1.5, 4))
                .isEqualTo("Other programs used 2 % of the 4 CPUs meanwhile (load average 1.5, this demo included).");
    }

    @Test
    void whenOtherProgramsAreBusyThenItWarns() {
        assertThat(MachineLoad.describe(0.4, 3.1, 2))
                .contains("40 % of the 2 CPUs", "load average 3.1", "THE RATIOS MEAN NOTHING");
    }

    @Test
    void whenTheSystemDoesNotReportTheLoadThenItSaysSo() {
        assertThat(MachineLoad.describe(Double.NaN, -1, 2)).contains("does not report");
    }

    @Test
    void shouldMeasureAShare() {
        assertThat(new MachineLoad().others()).isBetween(0.0, 1.0);
    }
}
