package io.rdmarpc.verbs.soft.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The orders in which READ requests may arrive: next, duplicate, part of a duplicate, and more than the queue holds.
 */
class PendingResponsesTest {

    private static final int LAST_PSN = 0xFF_FFFF;

    private final PendingResponses pending = new PendingResponses();

    PendingResponsesTest() {
        pending.reset(3);
    }

    private boolean put(int psn, int packets) {
        return pending.putRead(psn, packets, psn * 4096L, 1, packets * 4096, false, true, false);
    }

    private void expect(int... psns) {
        for (int psn : psns) {
            assertThat(pending.isEmpty()).isFalse();
            assertThat(pending.first().nextPsn()).isEqualTo(psn);
            if (pending.first().advance()) {
                pending.removeFirst();
            }
        }
    }

    @Test
    void shouldRespondInOrder() {
        put(10, 2);
        put(12, 1);
        expect(10, 11, 12);
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void whenFullThenRejects() {
        assertThat(put(10, 1)).isTrue();
        assertThat(put(11, 1)).isTrue();
        assertThat(put(12, 1)).isTrue();
        assertThat(put(13, 1)).isFalse();
        expect(10, 11, 12);
    }

    @Test
    void whenRepeatedThenStartsAgainAndKeepsOthers() {
        put(10, 3);
        put(13, 2);
        expect(10, 11);
        put(10, 3);
        expect(10, 11, 12, 13, 14);
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void whenRestIsRepeatedThenContinuesFromThere() {
        put(10, 5);
        put(15, 1);
        expect(10, 11, 12, 13);
        put(11, 4);
        assertThat(pending.first().address()).isEqualTo(11 * 4096L);
        assertThat(pending.first().nextPacket()).isZero();
        expect(11, 12, 13, 14, 15);
    }

    @Test
    void whenPacketsInTheMiddleAreRepeatedThenTheRestIsKept() {
        put(10, 5);
        put(15, 1);
        expect(10, 11, 12);
        put(10, 2);
        expect(10, 11, 13, 14, 15);
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void whenRepeatedBeforeItWasReachedThenItHasAtMostTwoResponses() {
        put(10, 5);
        expect(10);
        put(12, 2);
        expect(11, 12, 13, 14, 12, 13);
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void whenACompletedRequestIsRepeatedThenItComesBeforeLaterOnes() {
        put(10, 2);
        put(12, 3);
        expect(10, 11, 12);
        put(10, 2);
        expect(10, 11, 13, 14);
    }

    @Test
    void shouldOrderAcrossTheWrap() {
        put(LAST_PSN, 2);
        put(1, 1);
        expect(LAST_PSN);
        put(LAST_PSN, 2);
        expect(LAST_PSN, 0, 1);
    }

    @Test
    void whenFullThenRepeatingStillWorks() {
        put(10, 1);
        put(11, 1);
        put(12, 1);
        assertThat(put(11, 1)).isTrue();
        expect(10, 11, 12);
    }
}
