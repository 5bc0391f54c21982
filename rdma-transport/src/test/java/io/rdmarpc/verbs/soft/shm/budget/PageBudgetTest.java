package io.rdmarpc.verbs.soft.shm.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Mappings of the memory of many peers. */
class PageBudgetTest {

    private static final long PAGE = 4096;

    private final PageBudget budget = new PageBudget();

    private int takeAll(String peer, long bytes) {
        int count = 0;
        while (budget.take(peer, bytes) != null) {
            count++;
        }
        return count;
    }

    @Test
    void whenManyPeersMapThenEachHasHalfOfWhatTheOthersLeaveAtMost() {
        int total = 0;
        int peers = 0;
        for (int left = PageBudget.MAX_MAPPINGS; left > 1; left = PageBudget.MAX_MAPPINGS - total) {
            int taken = takeAll("peer " + peers++, PAGE);
            assertThat(taken).isEqualTo(Math.min(PageBudget.MAX_MAPPINGS_OF_ONE, left / 2));
            total += taken;
        }
        assertThat(total).isLessThan(PageBudget.MAX_MAPPINGS);
        assertThat(budget.take("the next one", PAGE)).isNull();
    }

    @Test
    void whenMappingsAreLargeThenTheirBytesAreLimited() {
        long half = PageBudget.MAX_BYTES / 2;
        assertThat(budget.take("a", half + 1)).isNull();
        assertThat(budget.take("a", half)).isNotNull();
        assertThat(budget.take("a", 1)).isNull();
        assertThat(budget.take("b", half / 2 + 1)).isNull();
        assertThat(budget.take("b", half / 2)).isNotNull();
        assertThat(budget.take("c", Long.MAX_VALUE)).isNull();
    }

    @Test
    void whenMappingsEndThenTheirRoomIsFreeAgain() {
        List<PeerBudget.Share> shares = new ArrayList<>();
        for (int i = 0; i < PageBudget.MAX_MAPPINGS_OF_ONE; i++) {
            shares.add(Objects.requireNonNull(budget.take("a", PAGE)));
        }
        assertThat(budget.take("a", PAGE)).isNull();
        shares.forEach(PeerBudget.Share::close);
        shares.forEach(PeerBudget.Share::close);
        assertThat(takeAll("a", PAGE)).isEqualTo(PageBudget.MAX_MAPPINGS_OF_ONE);
    }
}
