package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UdpPollScheduleTest {

    private static final long INTERVAL_NANOS = 50_000;

    private long now = 1_000_000_000;
    private int clockReads;
    private final UdpPollSchedule schedule = new UdpPollSchedule(() -> {
        clockReads++;
        return now;
    });

    /** Polls the socket whenever it is due, finds nothing, and returns the number of polls. */
    private int looks(int polls, long nanosEach, int found) {
        int looks = 0;
        for (int i = 0; i < polls; i++) {
            now += nanosEach;
            if (schedule.isDue(found)) {
                schedule.onPolled(0);
                looks++;
            }
        }
        return looks;
    }

    @Test
    void whenTheOwnerPollsAllTheTimeThenTheSocketIsPolledOnceInTheInterval() {
        looks(1000, 100, 0);

        assertThat(looks(10_000, 100, 0)).isBetween(18, 20);
    }

    @Test
    void whenTheOwnerPollsAllTheTimeThenTheClockIsReadInEverySixteenthPoll() {
        looks(1000, 100, 0);
        clockReads = 0;

        looks(1600, 100, 0);

        assertThat(clockReads).isEqualTo(100);
    }

    @Test
    void whenTheOwnerPollsRarelyThenEachPollReadsTheSocket() {
        looks(1000, 100, 0);
        looks(16, INTERVAL_NANOS, 0);

        assertThat(looks(100, INTERVAL_NANOS, 0)).isEqualTo(100);
    }

    @Test
    void whenPacketsArriveOverUdpThenEachPollReadsTheSocket() {
        looks(1, INTERVAL_NANOS, 0);
        schedule.onPolled(1);

        assertThat(looks(100, 100, 0)).isEqualTo(100);
    }

    @Test
    void whenAPacketInMemoryHasEndedTheSleepThenTheNextPollReadsTheSocket() {
        looks(1000, 100, 0);
        schedule.wake();

        assertThat(schedule.isDue(1)).isFalse();
        assertThat(schedule.isDue(0)).isTrue();
    }

    @Test
    void whenNothingInMemoryHasEndedTheSleepThenTheSocketIsPolledAtOnce() {
        looks(1000, 100, 0);
        schedule.wake();

        assertThat(schedule.isDue(0)).isTrue();
    }
}
