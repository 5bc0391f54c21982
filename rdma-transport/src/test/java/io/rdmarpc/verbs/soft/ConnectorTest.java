package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Connection setup in two phases: each end prepares, both exchange their endpoints as bytes, and each end completes.
 */
class ConnectorTest {

    private static final ConnectionSettings SETTINGS = ConnectionSettings.DEFAULTS.withAccess(AccessFlag.REMOTE_READ);

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();
    private final TestNode a = TestNode.inMemory(network, 5001, LinkFaults.NONE, clock);
    private final TestNode b = TestNode.inMemory(network, 5002, LinkFaults.NONE, clock);
    private final QueuePair qpOfA = a.create(QueuePairType.RC);
    private final QueuePair qpOfB = b.create(QueuePairType.RC);

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private static QueuePairConnector prepare(TestNode node, QueuePair qp, ConnectionSettings settings) {
        return QueuePairConnector.prepare(
                qp, node.context, 1, node.context.gidTable(1).getFirst(), settings);
    }

    @Test
    void shouldConnectAndRead() {
        QueuePairConnector ofA =
                prepare(a, qpOfA, SETTINGS.withPathMtu(PathMtu.MTU_512).withReads(3, 5));
        QueuePairConnector ofB = prepare(b, qpOfB, SETTINGS.withReads(2, 100));
        ofA.complete(QueuePairEndpoint.decode(ofB.endpoint().encode()));
        ofB.complete(QueuePairEndpoint.decode(ofA.endpoint().encode()));
        MemoryRegion source = b.register(5000, AccessFlag.REMOTE_READ);
        MemoryRegion sink = a.register(5000, AccessFlag.LOCAL_WRITE);
        source.segment().fill((byte) 0x5A);

        assertThat(a.read(qpOfA, 1, sink, 0, 5000, source.address(), source.rkey()))
                .isZero();
        TestNode.Completion completion = null;
        for (int i = 0; i < 1000 && completion == null; i++) {
            b.progress();
            completion = a.next();
        }

        assertThat(Objects.requireNonNull(completion).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
        assertThat(ofA.pathMtu()).isEqualTo(PathMtu.MTU_512);
        assertThat(ofB.pathMtu()).isEqualTo(PathMtu.MTU_512);
        assertThat(qpOfA.query().maxReadAtomic()).isEqualTo(3);
        assertThat(qpOfA.query().maxDestReadAtomic()).isEqualTo(2);
        assertThat(qpOfB.query().maxReadAtomic()).isEqualTo(2);
        assertThat(qpOfB.query().maxDestReadAtomic()).isEqualTo(3);
    }

    @Test
    void shouldReportItsAttributes() {
        QueuePairConnector ofA = prepare(a, qpOfA, SETTINGS.withFirstPsn(7).withRetries(15, 3, 2));
        ofA.complete(prepare(b, qpOfB, SETTINGS.withFirstPsn(0)).endpoint());

        QueuePairAttributes answer = qpOfA.query();

        assertThat(answer.state()).isEqualTo(QueuePairState.RTS);
        assertThat(answer.sendPsn()).isEqualTo(7);
        assertThat(answer.receivePsn()).isZero();
        assertThat(answer.timeout()).isEqualTo(15);
        assertThat(answer.retryCount()).isEqualTo(3);
        assertThat(answer.rnrRetry()).isEqualTo(2);
        assertThat(answer.destinationQpn()).isEqualTo(qpOfB.number());
        assertThat(answer.accessFlags()).isEqualTo(AccessFlag.REMOTE_READ.bit());
        assertThat(answer.addressVector())
                .isEqualTo(AddressHandleAttributes.to(
                        b.context.gidTable(1).getFirst().gid(), b.port(), 0, 1));
        assertThat(answer.capabilities()).isEqualTo(qpOfA.capabilities());
    }

    @Test
    void whenResetThenAttributesAreUnknown() {
        prepare(a, qpOfA, SETTINGS);
        qpOfA.modify(new QueuePairAttributes().state(QueuePairState.RESET));

        assertThat(qpOfA.query().mask()).isEqualTo(QueuePairMask.STATE | QueuePairMask.CAP);
    }

    @Test
    void whenNotCompleteThenThereIsNoPathMtu() {
        QueuePairConnector ofA = prepare(a, qpOfA, SETTINGS);

        assertThat(ofA.isConnected()).isFalse();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(ofA::pathMtu)
                .withMessageContaining("call complete with the peer's endpoint");
    }

    @Test
    void whenDatagramsThenThereIsNoPeer() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> prepare(a, a.create(QueuePairType.UD), SETTINGS))
                .withMessageContaining("create one of type RC or UC")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
