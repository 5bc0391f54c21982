package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertSame;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static io.rdmarpc.verbs.suite.VerbsFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals, fences, inline data, and lists of requests. */
abstract class RequestFlagCases extends VerbsCases {

    private static final QueuePairCapabilities INLINE = new QueuePairCapabilities(8, 8, 2, 2, 64);

    RequestFlagCases(SuiteProvider provider) {
        super(provider);
    }

    private Connection prepared() {
        Connection pair = fixture.connection(QueuePairType.RC);
        fill(pair.local, AT, 20_000, 8);
        clear(pair.remote, AT, 20_000);
        return pair;
    }

    // ---- signals ----

    @ParameterizedTest
    @ValueSource(
            ints = {
                SendOpcode.SEND,
                SendOpcode.SEND_WITH_IMM,
                SendOpcode.RDMA_WRITE,
                SendOpcode.RDMA_WRITE_WITH_IMM,
                SendOpcode.RDMA_READ
            })
    void whenUnsignaledThenOnlyTheReceiverHasACompletion(int opcode) {
        Connection pair = prepared();
        pair.receive(1, 100);
        pair.receive(2, 100);
        pair.request(0, 3, opcode, AT, 100).set(0, 3, opcode, 0, 1);
        pair.request(1, 4, SendOpcode.SEND, AT, 1);
        here.sends.chain(0, 2);
        pair.post();
        pair.sent(4);
        pair.received(1);
        assertThat(here.take()).isNull();
    }

    @Test
    void whenTheQueuePairSignalsAllThenTheSignaledFlagIsIgnored() {
        Connection pair = special(QueuePairType.RC, new QueuePairCapabilities(8, 8, 1, 1, 0), true);
        pair.request(7, SendOpcode.RDMA_WRITE, 10).set(0, 7, SendOpcode.RDMA_WRITE, 0, 1);
        pair.post();
        pair.sent(7);
    }

    /** More unsignaled requests than the queue holds: each signaled request frees the earlier ones. */
    @Test
    void shouldFreeUnsignaledRequestsBeforeASignaledOne() {
        Connection pair = prepared();
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < End.DEPTH; i++) {
                pair.request(i, i, SendOpcode.RDMA_WRITE, AT + 10L * i, 10);
                here.sends.set(i, i, SendOpcode.RDMA_WRITE, i == End.DEPTH - 1 ? SendFlags.SIGNALED : 0, 1);
            }
            here.sends.chain(0, End.DEPTH);
            pair.post();
            pair.sent(End.DEPTH - 1);
        }
        assertSame(pair.local, AT, pair.remote, AT, 10L * End.DEPTH);
    }

    // ---- fence ----

    /** A fenced send is transmitted after the earlier READs are complete (10.8.3.3). */
    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 20_000})
    void shouldSendTheResultOfAnEarlierReadWithAFence(int length) {
        Connection pair = fixture.connection(QueuePairType.RC);
        fill(pair.remote, AT, length, 21);
        clear(pair.local, AT, length);
        clear(pair.remote, 100_000, length);
        pair.receive(1, 100_000, length);
        pair.request(0, 2, SendOpcode.RDMA_READ, AT, length);
        pair.request(1, 3, SendOpcode.SEND, AT, length);
        here.sends.set(1, 3, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.FENCE, 1);
        here.sends.chain(0, 2);
        pair.post();
        pair.sent(2);
        pair.sent(3);
        pair.received(1);
        assertSame(pair.remote, AT, pair.remote, 100_000, length);
    }

    @Test
    void shouldWriteTheResultOfAnEarlierAtomicWithAFence() {
        Connection pair = prepared();
        fill(pair.remote, AT, 8, 22);
        clear(pair.remote, AT + 64, 8);
        pair.fetchAndAdd(0, 1, AT, 0);
        pair.request(1, 2, SendOpcode.RDMA_WRITE, AT, 8);
        here.sends.set(1, 2, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED | SendFlags.FENCE, 1);
        here.sends.setRemote(1, pair.remote.address() + AT + 64, pair.remote.rkey());
        here.sends.chain(0, 2);
        pair.post();
        pair.sent(1);
        pair.sent(2);
        assertSame(pair.remote, AT, pair.remote, AT + 64, 8);
    }

    @Test
    void whenNothingPrecedesAFenceThenItDoesNotWait() {
        Connection pair = prepared();
        pair.request(1, SendOpcode.RDMA_WRITE, 50);
        here.sends.set(0, 1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED | SendFlags.FENCE, 1);
        pair.post();
        pair.sent(1);
        assertSame(pair.local, AT, pair.remote, AT, 50);
    }

    // ---- solicited ----

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldDeliverSolicitedMessages(QueuePairType type) {
        Connection pair = fixture.connection(type);
        pair.receive(1, 10);
        pair.request(2, SendOpcode.SEND, 10).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.SOLICITED, 1);
        pair.post();
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isEqualTo(10);
    }

    // ---- inline ----

    private Connection inline(QueuePairType type) {
        Connection pair = inlineIfThere(type);
        assertThat(pair.qp.capabilities().maxInlineBytes()).isGreaterThanOrEqualTo(64);
        return pair;
    }

    private Connection inlineIfThere(QueuePairType type) {
        try {
            return special(type, INLINE, false);
        } catch (RdmaVerbsException e) {
            assumeTrue(e.errno() != Errno.EINVAL, e.getMessage());
            throw e;
        }
    }

    /** The post copies inline data, so that the memory need not be registered and can be reused at once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64})
    void shouldSendInline(int length) {
        Connection pair = inline(QueuePairType.RC);
        MemorySegment source = here.arena.allocate(64).fill((byte) 0x3C);
        clear(pair.remote, AT, 100);
        pair.receive(1, 100);
        pair.request(2, SendOpcode.SEND, 0).set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.INLINE, 1);
        here.sends.setSge(0, 0, source.address(), length, 0);
        pair.post();
        source.fill((byte) 0);
        pair.sent(2);
        assertThat(pair.received(1).byteLength()).isEqualTo(length);
        source.fill((byte) 0x3C);
        assertThat(MemorySegment.mismatch(source, 0, length, pair.remote.segment(), AT, AT + length))
                .isEqualTo(-1);
        VerbsFixture.assertZero(pair.remote, AT + length, 36);
    }

    @Test
    void shouldWriteTwoEntriesInline() {
        Connection pair = inline(QueuePairType.RC);
        MemorySegment source = here.arena.allocate(64);
        source.setString(0, "in line");
        clear(pair.remote, AT, 100);
        pair.request(2, SendOpcode.RDMA_WRITE, 0)
                .set(0, 2, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED | SendFlags.INLINE, 2);
        here.sends.setSge(0, 0, source.address(), 3, 0);
        here.sends.setSge(0, 1, source.address() + 3, 5, 0);
        pair.post();
        source.fill((byte) 0);
        pair.sent(2);
        assertThat(pair.remote.segment().getString(AT)).isEqualTo("in line");
    }

    @Test
    void whenInlineDataIsTooLongThenThePostIsRejected() {
        Connection pair = inline(QueuePairType.RC);
        int tooLong = pair.qp.capabilities().maxInlineBytes() + 1;
        pair.request(1, SendOpcode.RDMA_WRITE, tooLong)
                .set(0, 1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED | SendFlags.INLINE, 1);
        assertThat(pair.qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        pair.assertWorks();
    }

    // ---- lists ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, End.DEPTH})
    void shouldDeliverAListOfSendsToAListOfReceives(int count) {
        Connection pair = prepared();
        for (int i = 0; i < count; i++) {
            there.receives.set(i, i, pair.remote.address() + AT + 64L * i, 64, pair.remote.lkey());
            pair.request(i, 100 + i, SendOpcode.SEND, AT + 64L * i, 64);
        }
        there.receives.chain(0, count);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        here.sends.chain(0, count);
        pair.post();
        for (int i = 0; i < count; i++) {
            pair.sent(100 + i);
            pair.received(i);
        }
        assertSame(pair.local, AT, pair.remote, AT, 64L * count);
    }

    /** The order of a list follows its links, not the indexes. */
    @Test
    void shouldPostAListInAnyOrderOfTheArray() {
        Connection pair = prepared();
        for (int i = 0; i < 4; i++) {
            pair.request(i, i, SendOpcode.RDMA_WRITE, AT + 10L * i, 10);
        }
        here.sends.setNext(3, 1);
        here.sends.setNext(1, 0);
        assertThat(pair.qp.postSend(here.sends, 3)).isZero();
        pair.sent(3);
        pair.sent(1);
        pair.sent(0);
        fixture.silence(here);
    }

    @Test
    void whenASendOfAListIsInvalidThenThoseBeforeItArePosted() {
        Connection pair = prepared();
        for (int i = 0; i < 4; i++) {
            pair.request(i, i, SendOpcode.RDMA_WRITE, AT + 10L * i, 10);
        }
        int tooMany = pair.qp.capabilities().maxSendSge() + 1;
        here.sends.set(2, 2, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, tooMany);
        here.sends.chain(0, 4);
        assertThat(pair.qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThat(here.sends.badIndex()).isEqualTo(2);
        pair.sent(0);
        pair.sent(1);
        fixture.silence(here);
    }

    @Test
    void whenAReceiveOfAListIsInvalidThenThoseBeforeItArePosted() {
        Connection pair = prepared();
        for (int i = 0; i < 3; i++) {
            there.receives.set(i, i, pair.remote.address() + AT, 64, pair.remote.lkey());
        }
        there.receives.set(1, 1, pair.peer.capabilities().maxReceiveSge() + 1);
        there.receives.chain(0, 3);
        assertThat(pair.peer.postReceive(there.receives, 0)).isEqualTo(Errno.EINVAL);
        assertThat(there.receives.badIndex()).isEqualTo(1);
        pair.post(9, SendOpcode.SEND, 5);
        pair.sent(9);
        pair.received(0);
    }

    // ---- full queues ----

    @Test
    void whenTheSendQueueIsFullThenThePostReturnsEnomem() {
        Connection pair = fixture.pooled(QueuePairType.RC)
                .connect(Connection.OPEN.withRetries(14, 7, QueuePairAttributes.RNR_RETRY_INFINITE));
        // No request completes while the peer has no receive.
        int posted = fillSendQueue(pair);
        assertThat(posted).isGreaterThanOrEqualTo(End.DEPTH);
        for (int i = 0; i < posted; i++) {
            pair.receive(1000 + i, 8);
            assertThat(pair.sent(i).opcode()).isEqualTo(CompletionOpcode.SEND);
            pair.received(1000 + i);
        }
        pair.assertWorks();
    }

    private static int fillSendQueue(Connection pair) {
        int posted = 0;
        int errno = 0;
        while (errno == 0) {
            pair.request(posted, SendOpcode.SEND, 8);
            errno = pair.qp.postSend(pair.here.sends, 0);
            posted += errno == 0 ? 1 : 0;
            assertThat(posted).isLessThan(1000);
        }
        assertThat(errno).isEqualTo(Errno.ENOMEM);
        return posted;
    }

    @Test
    void shouldAcceptExactlyTheReportedNumberOfSends() {
        needs(Trait.QUEUES_ACCEPT_THE_REPORTED_SIZE);
        Connection pair = fixture.connection(QueuePairType.RC);
        assertThat(fillSendQueue(pair)).isEqualTo(pair.qp.capabilities().maxSendWr());
    }

    @Test
    void whenTheReceiveQueueIsFullThenThePostReturnsEnomem() {
        Connection pair = fixture.connection(QueuePairType.RC);
        there.receives.set(0, 1, pair.remote.address(), 8, pair.remote.lkey());
        there.receives.setNext(0, -1);
        int posted = 0;
        int errno = pair.peer.postReceive(there.receives, 0);
        while (errno == 0) {
            assertThat(++posted).isLessThan(1000);
            errno = pair.peer.postReceive(there.receives, 0);
        }
        assertThat(errno).isEqualTo(Errno.ENOMEM);
        assertThat(posted).isGreaterThanOrEqualTo(pair.peer.capabilities().maxReceiveWr());
    }
}
