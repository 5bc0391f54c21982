package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.wr.CompletionStatus;
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
    @DisplayName("is posted as consecutive fragments, and ends once, with the last of them")
    void whenItIsLongerThenItIsReadInFragments() {
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
    @DisplayName("is posted one fragment after the other if the budget has room for one")
    void whenTheBudgetIsOneThenFragmentsArePostedOneAfterTheOther() {
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
    @DisplayName("fails once if a fragment fails, after those at the NIC have ended, and posts no other")
    void whenAFragmentFailsThenTheReadFailsOnce() {
        open(2);
        assertThat(nic.reads()).hasSize(2);
        endFirst(CompletionStatus.REM_ACCESS_ERR);
        assertThat(ends).as("while a fragment is at the NIC").isEmpty();
        endFirst(CompletionStatus.WR_FLUSH_ERR);
        assertThat(ends).containsExactly(CompletionStatus.REM_ACCESS_ERR);
        assertThat(nic.readsPosted()).isEqualTo(2);
        assertThat(rc.isBusy(connection)).isFalse();
    }

    private static final int READS = 100;

    private RcConnection connect() {
        RcConnection made = rc.prepare(context.gid(), context.protectionDomain());
        made.complete(
                new RcEndpoint(PEER, 0, new RcEndpoint.Half(5, 6), new RcEndpoint.Half(5, 6), 16), PathMtu.MTU_1024);
        return made;
    }

    /** Opens a transport with 64 READs. Its connection belongs to one peer, and the returned connection to another. */
    private RcConnection openForTwoPeers() {
        nic.longestMessage(LONGEST);
        context = nic.open();
        rc = RcTransport.open(context, new RcConfig(64, 16, 14, 7, 64));
        connection = connect();
        connection.assign(rc.newQueue(rc.reads().part()), () -> stalls.add(connection));
        RcConnection other = connect();
        other.assign(rc.newQueue(rc.reads().part()), () -> stalls.add(other));
        return other;
    }

    private final List<RcConnection> stalls = new ArrayList<>();

    private void read(RcConnection from, int count, int remoteAddress) {
        for (int i = 0; i < count; i++) {
            rc.read(from, 0, 0, remoteAddress, 0, 100, ends::add);
        }
        rc.postReads();
    }

    private long inFlight(int remoteAddress) {
        return nic.reads().stream()
                .filter(read -> read.remoteAddress() == remoteAddress)
                .count();
    }

    private void endAll() {
        while (!nic.reads().isEmpty()) {
            endFirst(CompletionStatus.SUCCESS);
        }
    }

    @Test
    @DisplayName("of a peer that serves no READ leaves half of the budget to other peers")
    void whenAPeerServesNothingThenOthersHaveRoom() {
        RcConnection other = openForTwoPeers();
        read(connection, READS, 1);
        assertThat(inFlight(1)).isEqualTo(32);
        assertThat(rc.readsWaiting()).isEqualTo(READS - 32);

        read(other, READS, 2);
        assertThat(inFlight(2)).isEqualTo(16);

        nic.reads().stream().filter(read -> read.remoteAddress() == 2).forEach(read -> read.end(0));
        rc.poll();
        rc.postReads();
        assertThat(inFlight(2)).as("after READs have ended").isEqualTo(16);
        assertThat(ends).hasSize(16);
        endAll();
        assertThat(ends).hasSize(2 * READS);
        other.close();
    }

    @Test
    @DisplayName("of a peer without room ends at once when its connection closes")
    void whenThePeerHasNoRoomThenCancelledReadsEnd() {
        RcConnection other = openForTwoPeers();
        read(connection, READS, 1);

        rc.cancelReads(connection);
        rc.postReads();

        assertThat(ends).hasSize(READS - 32).containsOnly(CompletionStatus.WR_FLUSH_ERR);
        assertThat(rc.isBusy(connection)).isTrue();
        assertThat(rc.readsWaiting()).isZero();
        endAll();
        assertThat(rc.isBusy(connection)).isFalse();
        other.close();
    }

    @Test
    @DisplayName("alternates with those of other peers: a later READ does not wait for all earlier ones")
    void whenPeersReadThenTheirReadsAlternate() {
        RcConnection other = openForTwoPeers();
        for (int i = 0; i < 4; i++) {
            rc.read(connection, 0, 0, 1, 0, 100, ends::add);
            rc.read(other, 0, 0, 2, 0, 100, ends::add);
        }
        rc.postReads();
        assertThat(nic.reads()).extracting(FakeNic.Read::remoteAddress).containsExactly(1L, 2L, 1L, 2L, 1L, 2L, 1L, 2L);
        endAll();
        other.close();
    }

    @Test
    @DisplayName("is reported once if no fragment has completed for the given time")
    void whenNothingCompletesThenTheConnectionIsReported() {
        RcConnection other = openForTwoPeers();
        read(connection, 2, 1);
        read(other, 2, 2);
        rc.findStalled(1_000, 300);
        nic.reads().getLast().end(CompletionStatus.SUCCESS);
        rc.poll();

        rc.findStalled(1_299, 300);
        assertThat(stalls).isEmpty();
        rc.findStalled(1_300, 300);
        rc.findStalled(1_301, 300);
        assertThat(stalls).containsExactly(connection);

        rc.findStalled(1_599, 300);
        assertThat(stalls).as("the other one had completed a fragment").containsExactly(connection, other);
        endAll();
        other.close();
    }

    @Test
    @DisplayName("is not reported if the connection was idle meanwhile")
    void whenTheConnectionWasIdleThenItsTimeRestarts() {
        RcConnection other = openForTwoPeers();
        read(connection, 1, 1);
        rc.findStalled(0, 300);
        endAll();
        read(connection, 1, 1);

        rc.findStalled(5_000, 300);

        assertThat(stalls).isEmpty();
        endAll();
        other.close();
    }
}
