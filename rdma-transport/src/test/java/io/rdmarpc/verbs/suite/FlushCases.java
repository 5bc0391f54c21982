package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The completions of outstanding requests when a queue pair fails (10.3.1.7), and that it can be reused. */
abstract class FlushCases extends VerbsCases {

    private static final String FLUSHED = "WR_FLUSH_ERR (5)";

    FlushCases(SuiteProvider provider) {
        super(provider);
    }

    private Connection patient() {
        return fixture.pooled(QueuePairType.RC)
                .connect(Connection.OPEN.withRetries(14, 7, QueuePairAttributes.RNR_RETRY_INFINITE));
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldFlushReceivesInOrder(QueuePairType type) {
        Connection pair = fixture.connection(type);
        for (int i = 0; i < 5; i++) {
            pair.receive(i, 10);
        }
        VerbsFixture.fail(pair.peer);
        for (int i = 0; i < 5; i++) {
            Completion flushed = fixture.next(there, FLUSHED);
            assertThat(flushed.wrId()).isEqualTo(i);
            assertThat(flushed.qpn()).isEqualTo(pair.peer.number());
        }
        assertThat(pair.peer.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void shouldFlushDatagramReceivesInOrder() {
        QueuePair qp = fixture.receiver();
        for (int i = 0; i < 5; i++) {
            there.receive(qp, i, fixture.remote, AT, 100);
        }
        VerbsFixture.fail(qp);
        for (int i = 0; i < 5; i++) {
            assertThat(fixture.next(there, FLUSHED).wrId()).isEqualTo(i);
        }
    }

    /** Each outstanding send ends with a completion, signaled or not. */
    @ParameterizedTest
    @ValueSource(ints = {0, SendFlags.SIGNALED})
    void shouldFlushSendsInOrder(int flags) {
        Connection pair = patient();
        for (int i = 0; i < 5; i++) {
            pair.request(i, i, SendOpcode.SEND, AT, 10);
            here.sends.set(i, i, SendOpcode.SEND, flags, 1);
        }
        here.sends.chain(0, 5);
        pair.post();
        fixture.silence(here);
        VerbsFixture.fail(pair.qp);
        for (int i = 0; i < 5; i++) {
            Completion flushed = fixture.next(here, FLUSHED);
            assertThat(flushed.wrId()).isEqualTo(i);
            assertThat(flushed.qpn()).isEqualTo(pair.qp.number());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ})
    void shouldFlushRequestsAfterAFailedOne(int opcode) {
        Connection pair = fixture.connection(QueuePairType.RC);
        for (int i = 0; i < 5; i++) {
            pair.request(i, i, i % 2 == 0 ? opcode : SendOpcode.RDMA_WRITE, AT, 10);
        }
        here.sends.setRemote(0, pair.remote.address(), pair.remote.rkey() ^ 0x55);
        here.sends.chain(0, 5);
        pair.post();
        assertThat(pair.awaitFailure("REM_ACCESS_ERR (10)").wrId()).isZero();
        for (int i = 1; i < 5; i++) {
            assertThat(fixture.next(here, FLUSHED).wrId()).isEqualTo(i);
        }
    }

    /** The unsignaled requests before a failure have succeeded: they have no completion. */
    @Test
    void shouldCompleteRequestsBeforeAFailedOne() {
        Connection pair = fixture.connection(QueuePairType.RC);
        for (int i = 0; i < 3; i++) {
            pair.request(i, i, SendOpcode.RDMA_WRITE, AT, 10);
            here.sends.set(i, i, SendOpcode.RDMA_WRITE, 0, 1);
        }
        pair.request(3, 3, SendOpcode.RDMA_WRITE, AT, 10);
        here.sends.setRemote(3, pair.remote.address(), pair.remote.rkey() ^ 0x55);
        here.sends.chain(0, 4);
        pair.post();
        assertThat(pair.awaitFailure("REM_ACCESS_ERR (10)").wrId()).isEqualTo(3);
        fixture.silence(here);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldFlushASendPostedInErr(QueuePairType type) {
        Connection pair = fixture.connection(type);
        VerbsFixture.fail(pair.qp);
        for (int i = 0; i < 3; i++) {
            pair.request(i, i, SendOpcode.SEND, AT, 10);
        }
        here.sends.chain(0, 3);
        pair.post();
        for (int i = 0; i < 3; i++) {
            assertThat(fixture.next(here, FLUSHED).wrId()).isEqualTo(i);
        }
    }

    @Test
    void shouldFlushAReceivePostedInErrAtOnce() {
        needs(Trait.FLUSHES_RECEIVES_POSTED_IN_ERR);
        Connection pair = fixture.connection(QueuePairType.RC);
        VerbsFixture.fail(pair.peer);
        pair.receive(4, 10);
        assertThat(fixture.next(there, FLUSHED).wrId()).isEqualTo(4);
    }

    @Test
    void whenErrIsSetAgainThenAReceivePostedInErrIsFlushed() {
        Connection pair = fixture.connection(QueuePairType.RC);
        VerbsFixture.fail(pair.peer);
        pair.receive(4, 10);
        VerbsFixture.fail(pair.peer);
        assertThat(fixture.next(there, FLUSHED).wrId()).isEqualTo(4);
    }

    /** A queue pair in ERR accepts no message: the sender fails after its retries. */
    @Test
    void shouldReceiveNothingInErr() {
        Connection pair = fixture.pooled(QueuePairType.RC).connect(Connection.OPEN.withRetries(10, 1, 1));
        VerbsFixture.fail(pair.peer);
        VerbsFixture.clear(pair.remote, AT, 10);
        pair.local.segment().asSlice(AT, 10).fill((byte) 1);
        pair.post(1, SendOpcode.RDMA_WRITE, 10);
        assertThat(pair.awaitFailure("RETRY_EXC_ERR (12)").wrId()).isEqualTo(1);
        VerbsFixture.assertZero(pair.remote, AT, 10);
    }

    @Test
    void whenResetThenReceivesHaveNoCompletion() {
        Connection pair = fixture.connection(QueuePairType.RC);
        for (int i = 0; i < 5; i++) {
            pair.receive(i, 10);
        }
        VerbsFixture.reset(pair.peer);
        fixture.silence(there);
        pair.connect().assertWorks();
    }

    @Test
    void whenResetThenSendsHaveNoCompletion() {
        Connection pair = patient();
        for (int i = 0; i < 3; i++) {
            pair.request(i, i, SendOpcode.SEND, AT, 10);
        }
        here.sends.chain(0, 3);
        pair.post();
        VerbsFixture.reset(pair.qp);
        fixture.silence(here);
        pair.connect().assertWorks();
    }

    /** After an error: RESET and all transitions again. */
    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldReconnectAfterAnError(QueuePairType type) {
        Connection pair = fixture.connection(type);
        pair.receive(1, 10);
        VerbsFixture.fail(pair.qp);
        VerbsFixture.fail(pair.peer);
        pair.connect().assertWorks();
    }
}
