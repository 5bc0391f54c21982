package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A view of remote memory")
class RcViewsTest {

    private static final int LENGTH = 40 << 20;
    private static final byte[] MESSAGE = new byte[10];
    private static final Gid PEER = Gid.of(Inet4Address.ofLiteral("10.0.0.2"));

    private final FakeNic nic = new FakeNic(PathMtu.MTU_1024);
    private final List<Integer> ends = new ArrayList<>();
    private final List<RemoteView> views = new ArrayList<>();
    private NicContext context;
    private RcTransport rc;
    private RcConnection connection;

    @BeforeEach
    void open() {
        context = nic.open();
        rc = RcTransport.open(context, new RcConfig(64, 16, 14, 7, 2));
        connection = rc.prepare(context.gid(), context.protectionDomain());
        connection.complete(
                new RcEndpoint(PEER, 0, new RcEndpoint.Half(5, 6), new RcEndpoint.Half(5, 6), 16), PathMtu.MTU_1024);
        nic.showMemory(true);
    }

    @AfterEach
    void close() {
        connection.close();
        rc.close();
        context.close();
    }

    private boolean view() {
        return rc.view(connection, 1, 2, LENGTH, (status, view) -> {
            ends.add(status);
            views.add(view);
        });
    }

    @Test
    @DisplayName("is available when the peer has responded")
    void whenThePeerRespondsThenItIsAvailable() {
        assertThat(view()).isTrue();
        assertThat(rc.isBusy(connection)).isTrue();
        assertThat(ends).isEmpty();

        nic.views().getFirst().show(MESSAGE);
        rc.poll();

        assertThat(ends).containsExactly(CompletionStatus.SUCCESS);
        assertThat(views.getFirst().memory()).isNotNull();
        assertThat(rc.isBusy(connection)).isFalse();
        assertThat(rc.readsInFlight()).isZero();
    }

    @Test
    @DisplayName("is reported at its completion, even if its memory is available before the poll")
    void whenItIsAvailableBeforeTheCompletionThenItIsReportedAtTheCompletion() {
        view();
        nic.views().getFirst().show(MESSAGE);
        assertThat(ends).isEmpty();
        assertThat(rc.readsInFlight()).isOne();
        rc.poll();
        assertThat(ends).hasSize(1);
    }

    @Test
    @DisplayName("of memory that was viewed before is available at once and uses no budget")
    void whenTheMemoryIsKnownThenItIsAvailableAtOnce() {
        nic.showAtOnce(MESSAGE);
        for (int i = 0; i < 10; i++) {
            assertThat(view()).isTrue();
            views.removeLast().close();
        }
        assertThat(ends).hasSize(10);
        assertThat(rc.readsInFlight()).isZero();
        assertThat(rc.isBusy(connection)).isFalse();
    }

    @Test
    @DisplayName("is rejected while readers keep many bytes, but one view is always allowed")
    void whenManyBytesAreKeptThenItIsRejected() {
        nic.showAtOnce(MESSAGE);
        assertThat(view()).isTrue();
        assertThat(view()).isFalse();

        views.getFirst().close();
        views.getFirst().close();

        assertThat(view()).isTrue();
        assertThat(view()).isFalse();
    }

    @Test
    @DisplayName("is rejected when the budget is used up")
    void whenTheBudgetIsUsedUpThenItIsRejected() {
        for (int i = 0; i < 2; i++) {
            assertThat(rc.view(connection, 1, 2, 8192, (_, view) -> view.close()))
                    .isTrue();
        }
        assertThat(rc.view(connection, 1, 2, 8192, (_, view) -> view.close())).isFalse();

        nic.views().getFirst().show(MESSAGE);
        rc.poll();
        assertThat(rc.view(connection, 1, 2, 8192, (_, view) -> view.close())).isTrue();
    }

    @Test
    @DisplayName("is not requested for a while after one had no memory")
    void whenItHasNoMemoryThenTheNextOnesAreNotRequested() {
        view();
        nic.views().getFirst().end(CompletionStatus.SUCCESS);
        rc.poll();
        assertThat(views.getFirst().memory()).isNull();
        views.getFirst().close();

        int skipped = 0;
        while (!view()) {
            skipped++;
        }
        assertThat(skipped).isBetween(10, 1000);
    }

    @Test
    @DisplayName("ends with its queue pair")
    void whenTheQueuePairFailsThenItEnds() {
        view();
        connection.close();
        rc.endAll();

        assertThat(ends).containsExactly(CompletionStatus.WR_FLUSH_ERR);
        assertThat(views.getFirst().memory()).isNull();
        assertThat(rc.readsInFlight()).isZero();
    }
}
