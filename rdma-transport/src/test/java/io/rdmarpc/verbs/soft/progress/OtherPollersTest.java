package io.rdmarpc.verbs.soft.progress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Other pollers of a software RNIC")
class OtherPollersTest {

    private static final long MICROSECOND = 1_000;

    private final OtherPollers others = new OtherPollers();
    private long now = Long.MAX_VALUE - 50 * MICROSECOND;
    private long polls = 17;

    @BeforeEach
    void look() {
        others.areBusy(polls, now);
    }

    /** Checks repeatedly while another thread polls at an interval; returns whether it ever counted as busy. */
    private boolean isEverBusy(long microsBetweenLooks, long microsBetweenPolls) {
        for (long micros = 1; micros <= 5_000; micros++) {
            now += MICROSECOND;
            polls += micros % microsBetweenPolls == 0 ? 1 : 0;
            if (micros % microsBetweenLooks == 0 && others.areBusy(polls, now)) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 50, 250, 1_000})
    @DisplayName("are detected however often the progress thread checks")
    void whenOthersPollAllTheTimeThenTheyAreBusy(long microsBetweenLooks) {
        assertThat(isEverBusy(microsBetweenLooks, 10)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 50, 250, 1_000})
    void whenOthersPollRarelyThenTheyAreNotBusy(long microsBetweenLooks) {
        assertThat(isEverBusy(microsBetweenLooks, 60)).isFalse();
    }

    @Test
    void whenOthersPollInABurstThenTheyAreBusy() {
        polls += OtherPollers.BUSY_POLLS;
        assertThat(others.areBusy(polls, now + MICROSECOND)).isTrue();
    }
}
