package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The core that a loop yields to others")
class YieldBackoffTest {

    private long nanos;
    private long othersNanos;

    private final YieldBackoff offer = new YieldBackoff(() -> nanos, () -> nanos += othersNanos);

    private boolean yieldOf(long takenNanos) {
        othersNanos = takenNanos;
        return offer.relinquish();
    }

    /** Returns how long the core counts as contended after a long yield that has just ended. */
    private long contendedNanos() {
        long from = nanos;
        while (offer.isContended()) {
            nanos += YieldBackoff.FIRST_NANOS;
        }
        return nanos - from;
    }

    @Test
    void shouldBeFreeAtFirst() {
        assertThat(offer.isContended()).isFalse();
    }

    @Test
    void whileYieldsAreShortThenItIsFree() {
        assertThat(yieldOf(YieldBackoff.LONG_NANOS - 1)).isFalse();
        assertThat(offer.isContended()).isFalse();
    }

    @Test
    void whenAYieldTookLongThenItIsContendedForAWhile() {
        assertThat(yieldOf(YieldBackoff.LONG_NANOS)).isTrue();
        assertThat(contendedNanos()).isEqualTo(YieldBackoff.FIRST_NANOS);
    }

    @Test
    void whenAYieldTookLongAgainThenItIsContendedForTwiceAsLong() {
        yieldOf(YieldBackoff.LONG_NANOS);
        contendedNanos();
        yieldOf(YieldBackoff.LONG_NANOS);
        assertThat(contendedNanos()).isEqualTo(2 * YieldBackoff.FIRST_NANOS);
    }

    @Test
    void shouldBeContendedForTheMaximumTimeAtMost() {
        for (int i = 0; i < 20; i++) {
            yieldOf(YieldBackoff.LONG_NANOS);
            assertThat(contendedNanos()).isBetween(YieldBackoff.FIRST_NANOS, YieldBackoff.MAX_NANOS);
        }
        yieldOf(YieldBackoff.LONG_NANOS);
        assertThat(contendedNanos()).isEqualTo(YieldBackoff.MAX_NANOS);
    }

    @Test
    void whenYieldsWereShortForAsLongThenTheTimeStartsOver() {
        for (int i = 0; i < 3; i++) {
            yieldOf(YieldBackoff.LONG_NANOS);
            contendedNanos();
        }
        nanos += YieldBackoff.MAX_NANOS;
        yieldOf(YieldBackoff.LONG_NANOS);
        assertThat(contendedNanos()).isEqualTo(YieldBackoff.FIRST_NANOS);
    }
}
