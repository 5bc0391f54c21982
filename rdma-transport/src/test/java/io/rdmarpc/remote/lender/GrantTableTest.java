package io.rdmarpc.remote.lender;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.remote.wire.TokenSecret;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The table of grants")
class GrantTableTest {

    private final GrantTable table = new GrantTable();

    private LocalGrant add(long deadlineNanos) {
        TokenSecret secret = TokenSecret.fresh();
        RegionToken token = TokenCodec.token(new UUID(0, 1), secret, 64, Set.of(RemoteRight.READ));
        LocalGrant grant = new LocalGrant(null, token, secret, null, null, null, deadlineNanos);
        table.add(grant);
        return grant;
    }

    private Reason endOf(LocalGrant grant) {
        return table.endOf(TokenCodec.secretOf(grant.token()));
    }

    @Test
    @DisplayName("remembers why a token cannot be opened any more, including expiry")
    void whenALeaseHasEndedThenItsTokenHasExpired() {
        LocalGrant unopened = add(100);
        LocalGrant opened = add(100);
        LocalGrant longer = add(101);
        opened.markOpened(new LentRegion(1, null, Set.of(), null, () -> {}, opened));

        assertThat(table.endDue(100)).containsExactlyInAnyOrder(unopened, opened);
        assertThat(table.size()).isOne();
        assertThat(endOf(unopened)).isEqualTo(Reason.EXPIRED);
        assertThat(endOf(opened)).isEqualTo(Reason.USED_TOKEN);
        assertThat(endOf(longer)).isNull();
    }

    @Test
    @DisplayName("forgets grants that ended long ago")
    void whenManyGrantsHaveEndedThenTheFirstAreForgotten() {
        LocalGrant first = add(1);
        table.endDue(1);
        for (int i = 1; i < GrantTable.REMEMBERED; i++) {
            table.end(add(i), Reason.USED_TOKEN);
        }
        assertThat(endOf(first)).isEqualTo(Reason.EXPIRED);
        table.end(add(1), Reason.USED_TOKEN);
        assertThat(endOf(first)).isNull();
    }
}
