package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The core that a loop offers to others")
class YieldBackoffTest {

    private long nanos;
    private long othersNanos;

    private final YieldBackoff offer = new YieldBackoff(() -> nanos, () -> nanos += othersNanos);

    private boolean offerTakenFor(long takenNanos) {
        othersNanos = takenNanos;
        return offer.relinquish();
    }

    /** For how long nothing is to be offered after an offer that was just taken for long. */
    private long crowdedNanos() {
        long from = nanos;
        while (offer.isContended()) {
            nanos += YieldBackoff.FIRST_NANOS;
        }
        return nanos - from;
    }

    @Test
    void isFreeAtFirst() {
        assertThat(offer.isContended()).isFalse();
    }

    @Test
    void isFreeWhileOthersGiveItBackSoon() {
        assertThat(offerTakenFor(YieldBackoff.LONG_NANOS - 1)).isFalse();
        assertThat(offer.isContended()).isFalse();
    }

    @Test
    void isNotOfferedForAWhileWhenItWasTakenForLong() {
        assertThat(offerTakenFor(YieldBackoff.LONG_NANOS)).isTrue();
        assertThat(crowdedNanos()).isEqualTo(YieldBackoff.FIRST_NANOS);
    }

    @Test
    void isNotOfferedForTwiceAsLongWhenItIsTakenForLongAgain() {
        offerTakenFor(YieldBackoff.LONG_NANOS);
        crowdedNanos();
        offerTakenFor(YieldBackoff.LONG_NANOS);
        assertThat(crowdedNanos()).isEqualTo(2 * YieldBackoff.FIRST_NANOS);
    }

    @Test
    void isOfferedAtTheLatestAfterTheLongestTime() {
        for (int i = 0; i < 20; i++) {
            offerTakenFor(YieldBackoff.LONG_NANOS);
            assertThat(crowdedNanos()).isBetween(YieldBackoff.FIRST_NANOS, YieldBackoff.LONGEST_NANOS);
        }
        offerTakenFor(YieldBackoff.LONG_NANOS);
        assertThat(crowdedNanos()).isEqualTo(YieldBackoff.LONGEST_NANOS);
    }

    @Test
    void startsOverWhenItWasGivenBackSoonForAsLong() {
        for (int i = 0; i < 3; i++) {
            offerTakenFor(YieldBackoff.LONG_NANOS);
            crowdedNanos();
        }
        nanos += YieldBackoff.LONGEST_NANOS;
        offerTakenFor(YieldBackoff.LONG_NANOS);
        assertThat(crowdedNanos()).isEqualTo(YieldBackoff.FIRST_NANOS);
    }
}
