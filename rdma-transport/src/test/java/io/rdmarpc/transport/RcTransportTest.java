package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.PathMtu;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A READ that is longer than a message of the port")
class RcTransportTest {

    private static final int LONGEST = 64 << 10;
    private static final int LENGTH = 4 * LONGEST + 12_345;
    private static final long REMOTE = 0x7000_0000L;
    private static final Gid PEER = Gid.of(Inet4Address.ofLiteral("10.0.0.2"));

    private final FakeNic nic = new FakeNic(PathMtu.MTU_1024);
    private final List<Integer> ends = new ArrayList<>();
    private NicContext context;
    private RcTransport rc;
    private RcConnection connection;

    private void open(int readBudget) {
        nic.longestMessage(LONGEST);
        context = nic.open();
        rc = RcTransport.open(context, new RcConfig(64, 16, 14, 7, readBudget));
        connection = rc.prepare(context.gid(), context.protectionDomain());
        connection.complete(
                new RcEndpoint(PEER, 0, new RcEndpoint.Half(5, 6), new RcEndpoint.Half(5, 6), 16), PathMtu.MTU_1024);
        rc.read(connection, 0, 0, REMOTE, 0, LENGTH, ends::add);
        rc.postReads();
    }

    @AfterEach
    void close() {
        connection.close();
        rc.close();
        context.close();
        assertThat(nic.violations()).isEmpty();
    }

    private void endFirst(int status) {
        nic.reads().getFirst().end(status);
        rc.poll();
        rc.postReads();
    }

    @Test
    @DisplayName("goes out in parts that follow each other, and ends once, with the last of them")
    void whenItIsLongerThenItIsReadInParts() {
        open(64);
        assertThat(nic.reads())
                .extracting(FakeNic.Read::length)
                .containsExactly(LONGEST, LONGEST, LONGEST, LONGEST, 12_345);
        assertThat(nic.reads())
                .extracting(FakeNic.Read::remoteAddress)
                .containsExactly(
                        REMOTE, REMOTE + LONGEST, REMOTE + 2L * LONGEST, REMOTE + 3L * LONGEST, REMOTE + 4L * LONGEST);
        for (int i = 0; i < 4; i++) {
            endFirst(CompletionStatus.SUCCESS);
            assertThat(ends).isEmpty();
        }
        endFirst(CompletionStatus.SUCCESS);
        assertThat(ends).containsExactly(CompletionStatus.SUCCESS);
        assertThat(rc.readsInFlight()).isZero();
    }

    @Test
    @DisplayName("goes part by part where the budget has room for one")
    void whenTheBudgetIsOneThenPartsGoOneAfterTheOther() {
        open(1);
        for (int i = 0; i < 5; i++) {
            assertThat(nic.reads()).hasSize(1);
            endFirst(CompletionStatus.SUCCESS);
        }
        assertThat(nic.reads()).isEmpty();
        assertThat(nic.readsPosted()).isEqualTo(5);
        assertThat(ends).containsExactly(CompletionStatus.SUCCESS);
    }

    @Test
    @DisplayName("fails once when a part fails, after those at the NIC have ended, and posts no other")
    void whenAPartFailsThenTheWholeFailsOnce() {
        open(2);
        assertThat(nic.reads()).hasSize(2);
        endFirst(CompletionStatus.REM_ACCESS_ERR);
        assertThat(ends).as("while a part is at the NIC").isEmpty();
        endFirst(CompletionStatus.WR_FLUSH_ERR);
        assertThat(ends).containsExactly(CompletionStatus.REM_ACCESS_ERR);
        assertThat(nic.readsPosted()).isEqualTo(2);
        assertThat(rc.isBusy(connection)).isFalse();
    }
}
