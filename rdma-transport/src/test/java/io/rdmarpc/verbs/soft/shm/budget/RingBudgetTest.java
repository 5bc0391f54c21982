package io.rdmarpc.verbs.soft.shm.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RingBudgetTest {

    private static final long MIB = 1 << 20;

    private final HostLinkCounters counters = new HostLinkCounters();
    private final RingBudget budget = new RingBudget(256 * MIB, counters);

    private int takeAll(String peer, long bytes) {
        int count = 0;
        while (budget.take(peer, bytes) != null) {
            count++;
        }
        return count;
    }

    @Test
    void shouldGiveEachPeerHalfOfWhatOthersLeave() {
        assertThat(takeAll("a", MIB)).isEqualTo(128);
        assertThat(takeAll("b", MIB)).isEqualTo(64);
        assertThat(takeAll("c", MIB)).isEqualTo(32);
        assertThat(takeAll("d", MIB)).isEqualTo(16);
        assertThat(counters.rejectedRings()).isEqualTo(4);
    }

    @Test
    void whenARingIsLargerThanAQuarterThenItIsRejected() {
        assertThat(budget.take("a", 64 * MIB)).isNotNull();
        assertThat(budget.take("b", 64 * MIB + 1)).isNull();
    }

    @Test
    void whenRingsAreSmallThenTheirNumberIsLimited() {
        assertThat(takeAll("a", 64 << 10)).isEqualTo(RingBudget.MAX_RINGS_OF_ONE);
        assertThat(budget.take("b", 64 << 10)).isNotNull();
    }

    @Test
    void whenRingsAreClosedThenTheirRoomIsFreeAgain() {
        List<PeerBudget.Share> shares = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            shares.add(Objects.requireNonNull(budget.take("a", MIB)));
        }
        assertThat(budget.take("a", MIB)).isNull();
        shares.forEach(PeerBudget.Share::close);
        shares.forEach(PeerBudget.Share::close);
        assertThat(takeAll("a", MIB)).isEqualTo(128);
    }

    @Test
    void shouldNameAPeerByItsProcessIdentifier() {
        assertThat(PeerBudget.peer(17, "aa-bb")).isEqualTo(PeerBudget.peer(17, "cc-dd"));
        assertThat(PeerBudget.peer(0, "aa-bb"))
                .isEqualTo(PeerBudget.peer(0, "aa-dd"))
                .isNotEqualTo("aa-bb");
    }
}
