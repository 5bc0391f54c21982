package io.rdmarpc.verbs.soft.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Times in microseconds from an arbitrary start near the overflow. */
class ResponseTimerTest {

    private static final long START = Long.MAX_VALUE - 3_000_000;
    private static final long FIRST_PATIENCE = 4096L * (1 << 18) / 64_000 + 1;

    private final ResponseTimer timer = new ResponseTimer();

    private static long at(long micros) {
        return START + micros * 1000;
    }

    @Test
    void shouldRetransmitLongBeforeTheTimeOutAndThenLessOften() {
        timer.configure(18, 7);
        timer.begin(at(0));
        assertThat(timer.isImpatient(at(FIRST_PATIENCE - 1))).isFalse();
        assertThat(timer.deadlineNanos()).isEqualTo(at(0) + (4096L << 18) / 64);
        assertThat(timer.isImpatient(at(FIRST_PATIENCE))).isTrue();
        timer.doublePatience(at(FIRST_PATIENCE));
        timer.onRetransmission(at(FIRST_PATIENCE));
        assertThat(timer.isImpatient(at(3 * FIRST_PATIENCE - 3))).isFalse();
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
        assertThat(timer.isImpatient(at(100_000))).isTrue();
        assertThat(timer.deadlineNanos()).isEqualTo(at(100_000));
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

    private long patience(int psn, long micros) {
        timer.begin(at(micros));
        timer.onAckRequest(psn, at(micros));
        return (timer.deadlineNanos() - at(micros)) / 1000;
    }

    @Test
    void shouldLearnTheRoundTripButNotFromRetransmissions() {
        timer.configure(20, 7);
        for (int i = 0; i < 100; i++) {
            timer.onAckRequest(i, at(i * 10_000L));
            timer.onProgress(i, at(i * 10_000L + 150));
        }
        assertThat(patience(200, 0)).isBetween(300L, 310L);
        timer.onRetransmission(at(1));
        timer.onProgress(200, at(500_000));
        assertThat(patience(201, 600_000)).isBetween(300L, 310L);
    }

    @Test
    void whenResponseTimesVaryThenThePatienceCoversTheLongOnes() {
        timer.configure(20, 7);
        for (int i = 0; i < 200; i++) {
            timer.onAckRequest(i, at(i * 10_000L));
            timer.onProgress(i, at(i * 10_000L + (i % 2 == 0 ? 100 : 3000)));
        }
        assertThat(patience(200, 0)).isBetween(3000L, 10_000L);
    }

    @Test
    void whenThePeerIsSlowFromTheBeginningThenRetransmitsAFewTimesOnly() {
        timer.configure(20, 7);
        int again = 0;
        for (int i = 0; i < 50; i++) {
            long asked = i * 1_000_000L;
            timer.begin(at(asked));
            timer.onAckRequest(i, at(asked));
            int before = again;
            for (long micros = 0; micros < 300_000; micros += 500) {
                if (timer.isImpatient(at(asked + micros))) {
                    timer.doublePatience(at(asked + micros));
                    timer.onRetransmission(at(asked + micros));
                    again++;
                }
            }
            timer.onProgress(i, at(asked + 300_000));
            for (int twice = before; twice < again; twice++) {
                timer.onDuplicateResponse();
            }
        }
        assertThat(again).isLessThanOrEqualTo(9);
    }

    @Test
    void whenADuplicateResponseFollowsNoRetransmissionThenItIsIgnored() {
        timer.configure(20, 7);
        timer.onAckRequest(0, at(0));
        timer.onProgress(0, at(10));
        timer.onDuplicateResponse();
        timer.onAckRequest(1, at(1000));
        timer.onProgress(1, at(1010));
        assertThat(patience(2, 2000)).isEqualTo(200);
    }

    @Test
    void shouldFitAFewTriesIntoEachTimeOut() {
        timer.configure(15, 7);
        timer.onAckRequest(0, at(0));
        timer.onProgress(0, at(120_000));
        assertThat(patience(1, 200_000)).isEqualTo((4096L << 15) / 4000);
    }

    /**
     * A burst may take longer to send than the response to its first packet takes; this must not cause a
     * retransmission.
     */
    @Test
    void whenMoreIsSentThenWaitsFromTheLastPacketOn() {
        timer.configure(20, 7);
        timer.onAckRequest(0, at(0));
        timer.onProgress(0, at(10));
        timer.begin(at(1000));
        timer.onAckRequest(1, at(1000));
        timer.onSend(at(1150));
        assertThat(timer.isImpatient(at(1349))).isFalse();
        assertThat(timer.isImpatient(at(1350))).isTrue();
        assertThat(timer.isTimedOut(at(1000) + (4096L << 20)))
                .as("measured from the last progress")
                .isTrue();
    }

    /** An owner that did not run for a long time after a timeout has not retransmitted in between. */
    @Test
    void whenATryIsSentLateThenItsTimeOutStartsThen() {
        timer.configure(1, 7);
        timer.beginTry(at(0));
        timer.onRetransmission(at(150_000));
        assertThat(timer.isTimedOut(at(150_001))).isFalse();
        timer.onRetransmission(at(200_000));
        assertThat(timer.isTimedOut(at(250_000)))
                .as("later retransmissions do not extend it")
                .isTrue();
    }
}
