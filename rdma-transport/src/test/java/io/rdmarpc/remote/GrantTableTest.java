package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.remote.RemoteMemoryException.Reason;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The table of grants")
class GrantTableTest {

    private final GrantTable table = new GrantTable();

    private RegionGrant add(long deadlineNanos) {
        RegionToken token = new RegionToken(new UUID(0, 1), Secret.fresh(), 64, Set.of(RemoteRight.READ));
        RegionGrant grant = new RegionGrant(null, token, null, null, null, deadlineNanos);
        table.add(grant);
        return grant;
    }

    private Reason endOf(RegionGrant grant) {
        return table.endOf(grant.token().secret());
    }

    @Test
    @DisplayName("remembers why a token opens nothing any more, also when time has ended its grant")
    void whenALeaseIsOverThenItsTokenHasExpired() {
        RegionGrant unopened = add(100);
        RegionGrant opened = add(100);
        RegionGrant longer = add(101);
        opened.markOpened(new LentRegion(1, null, Set.of(), null, () -> {}, opened));

        assertThat(table.endDue(100)).containsExactlyInAnyOrder(unopened, opened);
        assertThat(table.size()).isOne();
        assertThat(endOf(unopened)).isEqualTo(Reason.EXPIRED);
        assertThat(endOf(opened)).isEqualTo(Reason.USED_TOKEN);
        assertThat(endOf(longer)).isNull();
    }

    @Test
    @DisplayName("forgets those that have ended long ago")
    void whenManyHaveEndedThenTheFirstAreForgotten() {
        RegionGrant first = add(1);
        table.endDue(1);
        for (int i = 1; i < GrantTable.REMEMBERED; i++) {
            table.end(add(i), Reason.USED_TOKEN);
        }
        assertThat(endOf(first)).isEqualTo(Reason.EXPIRED);
        table.end(add(1), Reason.USED_TOKEN);
        assertThat(endOf(first)).isNull();
    }
}
