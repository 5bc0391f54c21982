package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Times in microseconds from an arbitrary start near the overflow. */
class ResponseTimerTest {

    private static final long START = Long.MAX_VALUE - 3_000_000;
    private static final long FIRST_PATIENCE = 1000;

    private final ResponseTimer timer = new ResponseTimer();

    private static long at(long micros) {
        return START + micros * 1000;
    }

    @Test
    void shouldAskAgainLongBeforeTheTimeOutAndThenLessOften() {
        timer.configure(18, 7);
        timer.begin(at(0));
        assertThat(timer.isImpatient(at(FIRST_PATIENCE - 1))).isFalse();
        assertThat(timer.deadlineNanos()).isEqualTo(at(FIRST_PATIENCE));
        assertThat(timer.isImpatient(at(FIRST_PATIENCE))).isTrue();
        timer.loseHope(at(FIRST_PATIENCE));
        timer.onAskAgain(at(FIRST_PATIENCE));
        assertThat(timer.isImpatient(at(3 * FIRST_PATIENCE - 1))).isFalse();
        assertThat(timer.isImpatient(at(3 * FIRST_PATIENCE))).isTrue();
        assertThat(timer.isTimedOut(at(3 * FIRST_PATIENCE))).isFalse();
    }

    @Test
    void shouldTimeOutByTheExponentOfTheSpecification() {
        timer.configure(18, 7);
        timer.begin(at(0));
        long timeout = 4096L << 18;
        assertThat(timer.isTimedOut(at(0) + timeout - 1)).isFalse();
        assertThat(timer.isTimedOut(at(0) + timeout)).isTrue();
    }

    @Test
    void whenExponentIsShortThenTimesOutAfterATenthOfASecond() {
        timer.configure(1, 7);
        timer.begin(at(0));
        assertThat(timer.isTimedOut(at(99_999))).isFalse();
        assertThat(timer.isTimedOut(at(100_000))).isTrue();
    }

    @Test
    void whenExponentIsZeroThenNeverTimesOut() {
        timer.configure(0, 7);
        timer.begin(at(0));
        assertThat(timer.isTimedOut(at(3_600_000_000L))).isFalse();
        assertThat(timer.isImpatient(at(FIRST_PATIENCE))).isTrue();
        assertThat(timer.deadlineNanos()).isEqualTo(at(FIRST_PATIENCE));
    }

    @Test
    void shouldCountRetriesUntilThereIsProgress() {
        timer.configure(14, 2);
        timer.begin(at(0));
        assertThat(timer.countRetry()).isTrue();
        assertThat(timer.countRetry()).isTrue();
        timer.onProgress(5, at(10));
        assertThat(timer.countRetry()).isTrue();
        assertThat(timer.countRetry()).isTrue();
        assertThat(timer.countRetry()).isFalse();
    }

    @Test
    void shouldLearnTheRoundTripButNotFromRepeatedQuestions() {
        timer.configure(20, 7);
        for (int i = 0; i < 100; i++) {
            timer.onAsk(i, at(i * 10_000L));
            timer.onProgress(i, at(i * 10_000L + 100));
        }
        timer.begin(at(0));
        long learned = timer.deadlineNanos() - at(0);
        assertThat(learned).isBetween(400_000L, 420_000L);
        timer.onAsk(200, at(0));
        timer.onAskAgain(at(1));
        timer.onProgress(200, at(500_000));
        timer.begin(at(0));
        assertThat(timer.deadlineNanos() - at(0)).isEqualTo(learned);
    }

    /** An owner that did not run for long after a time-out has not asked again meanwhile. */
    @Test
    void whenATryIsSentLateThenItsTimeOutStartsThen() {
        timer.configure(1, 7);
        timer.beginTry(at(0));
        timer.onAskAgain(at(150_000));
        assertThat(timer.isTimedOut(at(150_001))).isFalse();
        timer.onAskAgain(at(200_000));
        assertThat(timer.isTimedOut(at(250_000)))
                .as("later repetitions prolong nothing")
                .isTrue();
    }
}
