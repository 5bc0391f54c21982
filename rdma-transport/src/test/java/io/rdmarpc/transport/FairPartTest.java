package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A fair part")
class FairPartTest {

    private static final int LIMIT = 64;

    private final FairPart whole = FairPart.whole(() -> LIMIT);

    private static int takeAll(FairPart part) {
        int taken = 0;
        while (part.hasRoom(1)) {
            part.take(1);
            taken++;
        }
        return taken;
    }

    @Test
    @DisplayName("is half of the amount that the others leave free")
    void whenOthersHaveTakenThenHalfOfTheRestIsLeft() {
        assertThat(takeAll(whole.part())).isEqualTo(32);
        assertThat(takeAll(whole.part())).isEqualTo(16);
        assertThat(whole.taken()).isEqualTo(48);
    }

    @Test
    @DisplayName("of a connection is half of the amount that the peer's other connections leave free in the peer's "
            + "part")
    void whenAPeerHasConnectionsThenTheyShareItsPart() {
        FairPart peer = whole.part();
        assertThat(takeAll(peer.part())).isEqualTo(16);
        assertThat(takeAll(peer.part())).isEqualTo(8);
        for (int i = 0; i < 100; i++) {
            int _ = takeAll(peer.part());
        }
        assertThat(peer.taken()).as("all connections of the peer").isEqualTo(32);
        assertThat(takeAll(whole.part())).as("another peer").isEqualTo(16);
    }

    @Test
    @DisplayName("is available again after it was given back")
    void whenAnAmountIsGivenBackThenItCanBeTakenAgain() {
        FairPart part = whole.part().part();
        int taken = takeAll(part);
        part.giveBack(taken);

        assertThat(whole.taken()).isZero();
        assertThat(takeAll(part)).isEqualTo(taken);
    }

    @Test
    @DisplayName("allows one amount that is larger than the part if nothing else is taken")
    void whenAnAmountIsLargerThanThePartThenItPassesAlone() {
        FairPart part = whole.part();
        assertThat(part.hasRoom(60)).isTrue();
        part.take(60);

        assertThat(part.hasRoom(1)).isFalse();
        assertThat(whole.part().hasRoom(2)).as("another peer").isTrue();
    }

    @Test
    @DisplayName("is never empty for a user that holds nothing, even if everything is taken")
    void whenAllIsTakenThenAUserWithoutAnythingHasRoom() {
        whole.part().take(LIMIT);
        assertThat(whole.part().hasRoom(1)).isTrue();
    }

    @Test
    @DisplayName("of a second connection has no room while the first one holds the whole part of the peer")
    void whenThePeerHoldsItsPartThenANewConnectionHasNoRoom() {
        FairPart peer = whole.part();
        peer.part().take(32);
        assertThat(peer.part().hasRoom(1)).isFalse();
    }
}
