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
    @DisplayName("is half of what the others leave free")
    void whenOthersHaveTakenThenHalfOfTheRestIsLeft() {
        assertThat(takeAll(whole.part())).isEqualTo(32);
        assertThat(takeAll(whole.part())).isEqualTo(16);
        assertThat(whole.taken()).isEqualTo(48);
    }

    @Test
    @DisplayName("of a connection is half of what its peer's other connections leave free of the peer's part")
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
    @DisplayName("is there again when it is given back")
    void whenItIsGivenBackThenItCanBeTakenAgain() {
        FairPart part = whole.part().part();
        int taken = takeAll(part);
        part.giveBack(taken);

        assertThat(whole.taken()).isZero();
        assertThat(takeAll(part)).isEqualTo(taken);
    }

    @Test
    @DisplayName("lets one amount pass that is larger than the part, when nothing else is taken")
    void whenAnAmountIsLargerThanThePartThenItPassesAlone() {
        FairPart part = whole.part();
        assertThat(part.hasRoom(60)).isTrue();
        part.take(60);

        assertThat(part.hasRoom(1)).isFalse();
        assertThat(whole.part().hasRoom(2)).as("another peer").isTrue();
    }

    @Test
    @DisplayName("is never empty for a user that has nothing, not even when all is taken")
    void whenAllIsTakenThenAUserWithoutAnythingHasRoom() {
        whole.part().take(LIMIT);
        assertThat(whole.part().hasRoom(1)).isTrue();
    }

    @Test
    @DisplayName("of a second connection has no room while the first one has all of the peer's part")
    void whenThePeerHasItsPartThenANewConnectionHasNoRoom() {
        FairPart peer = whole.part();
        peer.part().take(32);
        assertThat(peer.part().hasRoom(1)).isFalse();
    }
}
