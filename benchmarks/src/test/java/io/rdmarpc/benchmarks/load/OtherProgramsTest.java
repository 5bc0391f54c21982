package io.rdmarpc.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OtherProgramsTest {

    @Test
    void shouldAddAllTimesExceptIdleAndGuestTimes() {
        assertThat(OtherPrograms.busySeconds("cpu  100 200 300 9999 9999 40 50 10 777 777"))
                .isEqualTo(7);
    }

    @Test
    void shouldCountChildrenThatHaveEnded() {
        assertThat(OtherPrograms.endedSeconds("4711 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 111 222 30 20 20 0 1 0 99"))
                .isEqualTo(0.5);
    }

    @Test
    void shouldReturnAShareOfAllCpus() {
        assertThat(new OtherPrograms().percent()).isBetween(0.0, 100.0);
    }
}
