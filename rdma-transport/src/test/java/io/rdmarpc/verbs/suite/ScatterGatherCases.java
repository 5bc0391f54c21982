package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertSame;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertZero;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static io.rdmarpc.verbs.suite.VerbsFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages that are gathered from several entries and scattered to several entries. */
abstract class ScatterGatherCases extends VerbsCases {

    /** Distance of the pieces, so that a byte too many is detected. */
    private static final int APART = 6000;

    ScatterGatherCases(SuiteProvider provider) {
        super(provider);
    }

    static List<int[]> splits() {
        return List.of(
                new int[] {1, 1, 1, 1},
                new int[] {3, 5, 7, 11},
                new int[] {0, 100},
                new int[] {100, 0, 100},
                new int[] {0, 0, 1},
                new int[] {4095, 2},
                new int[] {4096, 4096},
                new int[] {1, 4096, 4095, 4097},
                new int[] {5000, 1, 5000, 1});
    }

    private static int sum(int[] lengths) {
        return Arrays.stream(lengths).sum();
    }

    private static void setPieces(SendRequests requests, MemoryRegion region, int[] lengths) {
        for (int i = 0; i < lengths.length; i++) {
            requests.setSge(0, i, region.address() + AT + (long) APART * i, lengths[i], region.lkey());
        }
    }

    private static void setPieces(ReceiveRequests requests, MemoryRegion region, int[] lengths) {
        for (int i = 0; i < lengths.length; i++) {
            requests.setSge(0, i, region.address() + AT + (long) APART * i, lengths[i], region.lkey());
        }
    }

    private static void assertScattered(MemoryRegion whole, MemoryRegion pieces, int[] lengths) {
        int at = AT;
        for (int i = 0; i < lengths.length; i++) {
            long piece = AT + (long) APART * i;
            assertSame(whole, at, pieces, piece, lengths[i]);
            assertZero(pieces, piece + lengths[i], 64);
            at += lengths[i];
        }
    }

    private static void assertGathered(MemoryRegion pieces, MemoryRegion whole, int[] lengths) {
        int at = AT;
        for (int i = 0; i < lengths.length; i++) {
            assertSame(pieces, AT + (long) APART * i, whole, at, lengths[i]);
            at += lengths[i];
        }
        assertZero(whole, at, 64);
    }

    private Connection prepared(boolean remoteIsSource) {
        Connection pair = fixture.connection(QueuePairType.RC);
        fill(remoteIsSource ? pair.remote : pair.local, 0, 40_000, 12);
        clear(remoteIsSource ? pair.local : pair.remote, 0, 40_000);
        return pair;
    }

    @ParameterizedTest
    @MethodSource("splits")
    void shouldGatherASend(int[] lengths) {
        Connection pair = prepared(false);
        pair.receive(1, 30_000);
        pair.request(2, SendOpcode.SEND, 0).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, lengths.length);
        setPieces(here.sends, pair.local, lengths);
        pair.post();
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isEqualTo(sum(lengths));
        assertGathered(pair.local, pair.remote, lengths);
    }

    @ParameterizedTest
    @MethodSource("splits")
    void shouldScatterAReceive(int[] lengths) {
        Connection pair = prepared(false);
        there.receives.set(0, 1, lengths.length);
        setPieces(there.receives, pair.remote, lengths);
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        pair.post(2, SendOpcode.SEND, sum(lengths));
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isEqualTo(sum(lengths));
        assertScattered(pair.local, pair.remote, lengths);
    }

    @ParameterizedTest
    @MethodSource("splits")
    void shouldGatherAWrite(int[] lengths) {
        Connection pair = prepared(false);
        pair.request(2, SendOpcode.RDMA_WRITE, 0).set(0, 2, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, lengths.length);
        setPieces(here.sends, pair.local, lengths);
        pair.post();
        pair.sent(2);
        assertGathered(pair.local, pair.remote, lengths);
    }

    @ParameterizedTest
    @MethodSource("splits")
    void shouldScatterARead(int[] lengths) {
        Connection pair = prepared(true);
        pair.request(2, SendOpcode.RDMA_READ, 0).set(0, 2, SendOpcode.RDMA_READ, SendFlags.SIGNALED, lengths.length);
        setPieces(here.sends, pair.local, lengths);
        pair.post();
        assertThat(pair.sent(2).byteLength()).isEqualTo(sum(lengths));
        assertScattered(pair.remote, pair.local, lengths);
    }

    /** The rest of a receive is unchanged. */
    @Test
    void whenAMessageIsShorterThanTheReceiveThenOnlyTheFirstEntriesAreFilled() {
        Connection pair = prepared(false);
        there.receives.set(0, 1, 3);
        setPieces(there.receives, pair.remote, new int[] {10, 10, 10});
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        pair.post(2, SendOpcode.SEND, 15);
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isEqualTo(15);
        assertScattered(pair.local, pair.remote, new int[] {10, 5, 0});
    }

    @Test
    void whenThereAreNoEntriesThenTheMessageIsEmpty() {
        Connection pair = prepared(false);
        there.receives.set(0, 1, 0);
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        pair.request(2, SendOpcode.SEND, 0).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 0);
        pair.post();
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isZero();
    }

    /** One message contains the same bytes several times. */
    @Test
    void shouldAcceptOverlappingSourceEntries() {
        Connection pair = prepared(false);
        pair.receive(1, 300);
        pair.request(2, SendOpcode.SEND, 0).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 3);
        for (int i = 0; i < 3; i++) {
            here.sends.setSge(0, i, pair.local.address() + AT, 100, pair.local.lkey());
        }
        pair.post();
        pair.sent(2);
        pair.received(1);
        for (int i = 0; i < 3; i++) {
            assertSame(pair.local, AT, pair.remote, AT + 100L * i, 100);
        }
    }

    @Test
    void shouldAcceptEntriesOfSeveralRegions() {
        Connection pair = prepared(false);
        MemoryRegion other = fixture.closing(here.register(64));
        fill(other, 0, 64, 4);
        pair.receive(1, 300);
        pair.request(2, SendOpcode.SEND, 0).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 2);
        here.sends.setSge(0, 0, pair.local.address() + AT, 10, pair.local.lkey());
        here.sends.setSge(0, 1, other.address(), 64, other.lkey());
        pair.post();
        pair.sent(2);
        pair.received(1);
        assertSame(pair.local, AT, pair.remote, AT, 10);
        assertSame(other, 0, pair.remote, AT + 10, 64);
    }

    /** One entry that may not be written fails the whole receive: no byte of the message is stored. */
    @Test
    void whenOneEntryIsForbiddenThenTheReceiveFails() {
        Connection pair = prepared(false);
        MemoryRegion readOnly = fixture.closing(there.register(64, AccessFlag.REMOTE_READ));
        there.receives.set(0, 1, 2);
        there.receives.setSge(0, 0, pair.remote.address() + AT, 10, pair.remote.lkey());
        there.receives.setSge(0, 1, readOnly.address(), 64, readOnly.lkey());
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        pair.post(2, SendOpcode.SEND, 20);
        assertThat(fixture.next(here).status()).isNotZero();
        assertThat(fixture.next(there).status()).isNotZero();
        assertZero(readOnly, 0, 64);
    }

    @Test
    void shouldUseTheMaximumNumberOfEntries() {
        int most = Math.min(here.context.attributes().maxSge(), here.sends.maxSge());
        Connection pair = special(QueuePairType.RC, new QueuePairCapabilities(4, 4, most, most, 0), false);
        fill(pair.local, 0, 40_000, 13);
        clear(pair.remote, 0, 40_000);
        pair.request(2, SendOpcode.SEND, 0).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, most);
        there.receives.set(0, 1, most);
        for (int i = 0; i < most; i++) {
            here.sends.setSge(0, i, pair.local.address() + AT + 10L * i, 10, pair.local.lkey());
            there.receives.setSge(0, i, pair.remote.address() + AT + 10L * i, 10, pair.remote.lkey());
        }
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        pair.post();
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isEqualTo(10 * most);
        assertSame(pair.local, AT, pair.remote, AT, 10L * most);
    }

    @Test
    void whenThereAreMoreEntriesThanGrantedThenThePostIsRejected() {
        Connection pair = fixture.connection(QueuePairType.RC);
        int tooMany = pair.qp.capabilities().maxSendSge() + 1;
        pair.request(1, SendOpcode.SEND, 1).set(0, 1, SendOpcode.SEND, SendFlags.SIGNALED, tooMany);
        assertThat(pair.qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThat(here.sends.badIndex()).isZero();

        there.receives.set(0, 1, pair.peer.capabilities().maxReceiveSge() + 1);
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isEqualTo(Errno.EINVAL);
        assertThat(there.receives.badIndex()).isZero();
        pair.assertWorks();
    }
}
