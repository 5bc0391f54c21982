package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertSame;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static io.rdmarpc.verbs.suite.VerbsFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The division of messages into packets, and the packet sequence numbers. */
abstract class PathMtuCases extends VerbsCases {

    private static final int LAST_PSN = (1 << 24) - 1;

    PathMtuCases(SuiteProvider provider) {
        super(provider);
    }

    private Connection connected(QueuePairType type, ConnectionSettings settings) {
        return fixture.pooled(type).connect(settings);
    }

    private static void writeAndReadBack(Connection pair, int length) {
        fill(pair.local, AT, length, length);
        clear(pair.remote, AT, length);
        pair.post(1, SendOpcode.RDMA_WRITE, length);
        pair.sent(1);
        assertSame(pair.local, AT, pair.remote, AT, length);
        clear(pair.local, AT, length);
        pair.post(2, SendOpcode.RDMA_READ, length);
        pair.sent(2);
        assertSame(pair.remote, AT, pair.local, AT, length);
    }

    private static void send(Connection pair, int length) {
        fill(pair.local, AT, length, length);
        clear(pair.remote, AT, length);
        pair.receive(3, length);
        pair.post(4, SendOpcode.SEND, length);
        pair.sent(4);
        assertThat(pair.received(3).byteLength()).isEqualTo(length);
        assertSame(pair.local, AT, pair.remote, AT, length);
    }

    static List<Arguments> cuts() {
        List<Arguments> all = new ArrayList<>();
        for (PathMtu mtu : PathMtu.values()) {
            for (int rest : new int[] {-1, 0, 1}) {
                all.add(Arguments.of(mtu, 3 * mtu.bytes() + rest));
            }
        }
        return all;
    }

    @ParameterizedTest(name = "{0}, {1} bytes")
    @MethodSource("cuts")
    void shouldSendReliableMessagesOfSeveralPackets(PathMtu mtu, int length) {
        Connection pair = connected(QueuePairType.RC, Connection.withMtu(mtu));
        assertThat(pair.mtuBytes()).isEqualTo(mtu.bytes());
        writeAndReadBack(pair, length);
        send(pair, length);
    }

    @ParameterizedTest
    @EnumSource(PathMtu.class)
    void shouldSendUnreliableMessagesOfSeveralPackets(PathMtu mtu) {
        Connection pair = connected(QueuePairType.UC, Connection.withMtu(mtu));
        send(pair, 3 * mtu.bytes() + 1);
    }

    @Test
    void whenTheEndsDifferThenTheSmallerMtuIsUsed() {
        Connection pair = fixture.pooled(QueuePairType.RC)
                .connect(Connection.withMtu(PathMtu.MTU_512), Connection.withMtu(PathMtu.MTU_2048));
        assertThat(pair.qp.query().pathMtu()).isEqualTo(PathMtu.MTU_512);
        assertThat(pair.peer.query().pathMtu()).isEqualTo(PathMtu.MTU_512);
        writeAndReadBack(pair, 5000);
    }

    /** Packet sequence numbers wrap at 2^24. */
    @ParameterizedTest(name = "first PSN {0}")
    @ValueSource(ints = {0, 1, 0x7F_FFFE, 0x80_0000, LAST_PSN - 100, LAST_PSN - 3, LAST_PSN - 1, LAST_PSN})
    void shouldSendReliableMessagesAcrossTheSequenceNumberWrap(int psn) {
        Connection pair =
                connected(QueuePairType.RC, Connection.withMtu(PathMtu.MTU_256).withFirstPsn(psn));
        assertThat(pair.qp.query().sendPsn()).isEqualTo(psn);
        assertThat(pair.qp.query().receivePsn()).isEqualTo(psn);
        writeAndReadBack(pair, 20 * 256 + 1);
        send(pair, 200 * 256);
        pair.fetchAndAdd(0, 5, AT, 1);
        pair.post();
        pair.sent(5);
    }

    @ParameterizedTest(name = "first PSN {0}")
    @ValueSource(ints = {0, LAST_PSN - 2, LAST_PSN})
    void shouldSendUnreliableMessagesAcrossTheSequenceNumberWrap(int psn) {
        Connection pair =
                connected(QueuePairType.UC, Connection.withMtu(PathMtu.MTU_256).withFirstPsn(psn));
        send(pair, 5 * 256 + 7);
        send(pair, 100);
    }

    /** Each READ consumes as many sequence numbers as its response has packets. */
    @Test
    void shouldReadAcrossTheSequenceNumberWrap() {
        Connection pair =
                connected(QueuePairType.RC, Connection.withMtu(PathMtu.MTU_256).withFirstPsn(LAST_PSN - 20));
        fill(pair.remote, AT, 16 * 1000, 3);
        clear(pair.local, AT, 16 * 1000);
        for (int i = 0; i < 16; i++) {
            pair.request(i, i, SendOpcode.RDMA_READ, AT + 1000L * i, 1000);
        }
        here.sends.chain(0, 16);
        pair.post();
        for (int i = 0; i < 16; i++) {
            pair.sent(i);
        }
        assertSame(pair.remote, AT, pair.local, AT, 16 * 1000);
    }
}
