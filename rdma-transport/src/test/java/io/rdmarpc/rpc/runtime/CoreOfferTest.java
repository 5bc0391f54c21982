package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The core that a loop offers to others")
class CoreOfferTest {

    private long nanos;
    private long othersNanos;

    private final CoreOffer offer = new CoreOffer(() -> nanos, () -> nanos += othersNanos);

    private boolean offerTakenFor(long takenNanos) {
        othersNanos = takenNanos;
        return offer.make();
    }

    /** For how long nothing is to be offered after an offer that was just taken for long. */
    private long crowdedNanos() {
        long from = nanos;
        while (offer.isCrowded()) {
            nanos += CoreOffer.FIRST_NANOS;
        }
        return nanos - from;
    }

    @Test
    void isFreeAtFirst() {
        assertThat(offer.isCrowded()).isFalse();
    }

    @Test
    void isFreeWhileOthersGiveItBackSoon() {
        assertThat(offerTakenFor(CoreOffer.LONG_NANOS - 1)).isFalse();
        assertThat(offer.isCrowded()).isFalse();
    }

    @Test
    void isNotOfferedForAWhileWhenItWasTakenForLong() {
        assertThat(offerTakenFor(CoreOffer.LONG_NANOS)).isTrue();
        assertThat(crowdedNanos()).isEqualTo(CoreOffer.FIRST_NANOS);
    }

    @Test
    void isNotOfferedForTwiceAsLongWhenItIsTakenForLongAgain() {
        offerTakenFor(CoreOffer.LONG_NANOS);
        crowdedNanos();
        offerTakenFor(CoreOffer.LONG_NANOS);
        assertThat(crowdedNanos()).isEqualTo(2 * CoreOffer.FIRST_NANOS);
    }

    @Test
    void isOfferedAtTheLatestAfterTheLongestTime() {
        for (int i = 0; i < 20; i++) {
            offerTakenFor(CoreOffer.LONG_NANOS);
            assertThat(crowdedNanos()).isBetween(CoreOffer.FIRST_NANOS, CoreOffer.LONGEST_NANOS);
        }
        offerTakenFor(CoreOffer.LONG_NANOS);
        assertThat(crowdedNanos()).isEqualTo(CoreOffer.LONGEST_NANOS);
    }

    @Test
    void startsOverWhenItWasGivenBackSoonForAsLong() {
        for (int i = 0; i < 3; i++) {
            offerTakenFor(CoreOffer.LONG_NANOS);
            crowdedNanos();
        }
        nanos += CoreOffer.LONGEST_NANOS;
        offerTakenFor(CoreOffer.LONG_NANOS);
        assertThat(crowdedNanos()).isEqualTo(CoreOffer.FIRST_NANOS);
    }
}
