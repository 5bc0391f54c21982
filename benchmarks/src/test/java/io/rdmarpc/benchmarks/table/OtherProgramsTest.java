package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OtherProgramsTest {

    @Test
    void shouldAddAllTimesButIdleOnesAndThoseOfGuests() {
        assertThat(OtherPrograms.busySeconds("cpu  100 200 300 9999 9999 40 50 10 777 777"))
                .isEqualTo(7);
    }

    @Test
    void shouldBeAShareOfAllCpus() {
        assertThat(new OtherPrograms().percent()).isBetween(0.0, 100.0);
    }
}
