package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertSame;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static io.rdmarpc.verbs.suite.VerbsFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.wr.SendOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that arrive before their receive is posted (9.7.5.2.8), and unreachable peers. */
abstract class NotReadyCases extends VerbsCases {

    private static final ConnectionSettings PATIENT =
            Connection.OPEN.withRetries(14, 7, QueuePairAttributes.RNR_RETRY_INFINITE);

    NotReadyCases(SuiteProvider provider) {
        super(provider);
    }

    private Connection patient() {
        return fixture.pooled(QueuePairType.RC).connect(PATIENT);
    }

    @ParameterizedTest(name = "opcode {0}, {1} bytes")
    @CsvSource({"2, 0", "2, 100", "2, 20000", "3, 0", "3, 20000", "1, 0", "1, 100", "1, 20000"})
    void shouldRetryUntilAReceiveIsPosted(int opcode, int length) {
        Connection pair = patient();
        fill(pair.local, AT, length, 31);
        clear(pair.remote, AT, length);
        pair.post(1, opcode, length);
        fixture.silence(here);
        pair.receive(2, length);
        pair.sent(1);
        assertThat(pair.received(2).byteLength()).isEqualTo(length);
        assertSame(pair.local, AT, pair.remote, AT, length);
    }

    /** Later requests do not overtake a message that waits for its receive. */
    @Test
    void shouldHoldBackLaterRequests() {
        Connection pair = patient();
        clear(pair.remote, 50_000, 8);
        pair.request(0, 1, SendOpcode.SEND, AT, 10);
        pair.request(1, 2, SendOpcode.RDMA_WRITE, 50_000, 8);
        pair.local.segment().asSlice(50_000, 8).fill((byte) 1);
        here.sends.chain(0, 2);
        pair.post();
        fixture.silence(here);
        VerbsFixture.assertZero(pair.remote, 50_000, 8);
        pair.receive(3, 10);
        pair.sent(1);
        pair.sent(2);
        pair.received(3);
        assertSame(pair.local, 50_000, pair.remote, 50_000, 8);
    }

    @Test
    void shouldConsumeLateReceivesInOrder() {
        Connection pair = patient();
        for (int i = 0; i < 4; i++) {
            pair.request(i, i, SendOpcode.SEND, AT, 10 + i);
        }
        here.sends.chain(0, 4);
        pair.post();
        for (int i = 0; i < 4; i++) {
            pair.receive(100 + i, 100);
            assertThat(pair.received(100 + i).byteLength()).isEqualTo(10 + i);
            pair.sent(i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void whenTheRetriesAreExhaustedThenTheRequestFails(int retries) {
        Connection pair = fixture.pooled(QueuePairType.RC).connect(Connection.OPEN.withRetries(14, 7, retries));
        pair.post(1, SendOpcode.SEND, 10);
        assertThat(pair.awaitFailure("RNR_RETRY_EXC_ERR (13)").wrId()).isEqualTo(1);
        assertThat(pair.peer.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ})
    void shouldRequireNoReceiveForOneSidedOperations(int opcode) {
        Connection pair = fixture.pooled(QueuePairType.RC).connect(Connection.OPEN.withRetries(14, 7, 0));
        pair.post(1, opcode, 5000);
        pair.sent(1);
    }

    /** An unreliable connection reports no error: the message is lost, the next one is not (9.8.2). */
    @ParameterizedTest
    @ValueSource(ints = {10, 20_000})
    void whenThereIsNoReceiveThenAnUnreliableMessageIsLost(int length) {
        Connection pair = fixture.connection(QueuePairType.UC);
        pair.post(1, SendOpcode.SEND, length);
        pair.sent(1);
        fixture.silence(there);
        pair.receive(2, length);
        pair.post(3, SendOpcode.SEND, 5);
        pair.sent(3);
        assertThat(pair.received(2).byteLength()).isEqualTo(5);
        assertThat(pair.peer.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.SEND, SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ})
    void whenThePeerIsGoneThenTheRequestFailsAfterItsRetries(int opcode) {
        Connection pair = fixture.pooled(QueuePairType.RC).connect(Connection.OPEN.withRetries(10, 2, 7));
        VerbsFixture.reset(pair.peer);
        pair.post(1, opcode, 10);
        assertThat(pair.awaitFailure("RETRY_EXC_ERR (12)").wrId()).isEqualTo(1);
    }

    /** Unreliable messages are complete when they have been sent, even if the peer is gone. */
    @Test
    void whenThePeerOfAnUnreliableConnectionIsGoneThenSendsStillSucceed() {
        Connection pair = fixture.connection(QueuePairType.UC);
        VerbsFixture.reset(pair.peer);
        pair.post(1, SendOpcode.SEND, 10);
        pair.sent(1);
        assertThat(pair.qp.queryState()).isEqualTo(QueuePairState.RTS);
    }
}
