package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
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
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("A queue pair of a device")
class QueuePairAttributesDeviceTest {

    private DeviceFixture fixture;

    @BeforeEach
    void open() {
        fixture = new DeviceFixture();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldReturnTheAttributesThatWereSet() {
        QueuePair one = fixture.create(QueuePairType.RC);
        QueuePair other = fixture.create(QueuePairType.RC);
        ConnectionSettings settings = ConnectedPair.OPEN
                .withPathMtu(PathMtu.MTU_512)
                .withReads(3, 5)
                .withRetries(new ConnectionSettings.Retries(15, 4, 2, 9))
                .withPath(new ConnectionSettings.Path(0, 5, 0x60, 17))
                .withFirstPsn(0x12_3456);
        QueuePairConnector first = ConnectedPair.prepare(fixture, one, settings);
        QueuePairConnector second = ConnectedPair.prepare(fixture, other, ConnectedPair.OPEN.withFirstPsn(77));
        first.complete(second.endpoint());

        QueuePairAttributes result = one.query();

        assertThat(result.state()).isEqualTo(QueuePairState.RTS);
        assertThat(result.accessFlags() & AccessFlag.REMOTE_ATOMIC.bit()).isNotZero();
        assertThat(result.portNumber()).isEqualTo(DeviceFixture.PORT);
        assertThat(result.pathMtu()).isEqualTo(PathMtu.MTU_512);
        assertThat(result.timeout()).isEqualTo(15);
        assertThat(result.retryCount()).isEqualTo(4);
        assertThat(result.rnrRetry()).isEqualTo(2);
        assertThat(result.minRnrTimer()).isEqualTo(9);
        assertThat(result.sendPsn()).isEqualTo(0x12_3456);
        assertThat(result.receivePsn()).isEqualTo(77);
        assertThat(result.destinationQpn()).isEqualTo(other.number());
        assertThat(result.maxReadAtomic()).isGreaterThanOrEqualTo(3);
        assertThat(result.maxDestReadAtomic()).isGreaterThanOrEqualTo(4);
        AddressHandleAttributes route = Objects.requireNonNull(result.addressVector());
        assertThat(route.destinationGid()).isEqualTo(fixture.gid.gid());
        assertThat(route.sourceGidIndex()).isEqualTo(fixture.gid.index());
        // For RoCE the kernel sets the hop limit from the route.
        assertThat(route.hopLimit()).isPositive();
        assertThat(route.trafficClass()).isEqualTo(0x60);
        assertThat(Objects.requireNonNull(result.capabilities()).maxSendWr()).isGreaterThanOrEqualTo(16);
        assertThat(result.has(QueuePairMask.ALT_PATH)).isFalse();
    }

    @Test
    void shouldAnswerQueriesInReset() {
        QueuePairAttributes result = fixture.create(QueuePairType.UD).query();

        assertThat(result.state()).isEqualTo(QueuePairState.RESET);
        assertThat(result.sendQueueDraining()).isFalse();
    }

    @Test
    @DisplayName("negotiates path MTU and READs to the minimum of both ends")
    void shouldNegotiatePathMtuAndReads() {
        QueuePair one = fixture.create(QueuePairType.RC);
        QueuePair other = fixture.create(QueuePairType.RC);
        QueuePairConnector first = ConnectedPair.prepare(
                fixture,
                one,
                ConnectionSettings.DEFAULTS.withPathMtu(PathMtu.MTU_1024).withReads(8, 2));
        QueuePairConnector second = ConnectedPair.prepare(fixture, other, ConnectionSettings.DEFAULTS.withReads(4, 1));
        QueuePairEndpoint sent = QueuePairEndpoint.decode(first.endpoint().encode());
        assertThat(sent).isEqualTo(first.endpoint());
        assertThat(first.isConnected()).isFalse();
        first.complete(second.endpoint());
        second.complete(sent);

        assertThat(first.pathMtu()).isEqualTo(PathMtu.MTU_1024);
        assertThat(second.pathMtu()).isEqualTo(PathMtu.MTU_1024);
        assertThat(one.query().maxReadAtomic()).isEqualTo(1);
        assertThat(one.query().maxDestReadAtomic()).isEqualTo(2);
        assertThat(other.query().maxReadAtomic()).isEqualTo(2);
        assertThat(other.query().maxDestReadAtomic()).isEqualTo(1);
        assertThat(one.query().rnrRetry()).isEqualTo(6);
    }

    @Test
    @DisplayName("connects by the 22 bytes of the short form, both starting at PSN 0")
    void shouldConnectWithTheShortForm() {
        QueuePair one = fixture.create(QueuePairType.RC);
        QueuePair other = fixture.create(QueuePairType.RC);
        ConnectionSettings settings = ConnectedPair.OPEN.withFirstPsn(0);
        QueuePairConnector first = ConnectedPair.prepare(fixture, one, settings);
        QueuePairConnector second = ConnectedPair.prepare(fixture, other, settings);

        first.complete(QueuePairEndpoint.decodeShort(second.endpoint().encodeShort(), PathMtu.MTU_4096, 4));
        second.complete(QueuePairEndpoint.decodeShort(first.endpoint().encodeShort(), PathMtu.MTU_4096, 4));

        assertThat(one.query().receivePsn()).isZero();
        assertThat(one.query().destinationQpn()).isEqualTo(other.number());
    }

    @Test
    @DisplayName("drains its send queue in SQD and continues in RTS")
    void shouldDrainInSqdAndContinueInRts() {
        ConnectedPair pair = new ConnectedPair(fixture, QueuePairType.RC);
        pair.post(pair.request(1, SendOpcode.RDMA_WRITE, 64));
        pair.awaitSuccess(1);

        pair.one.modify(new QueuePairAttributes().state(QueuePairState.SQD).notifyWhenDrained(true));
        assertThat(pair.one.queryState()).isEqualTo(QueuePairState.SQD);
        pair.one.modify(new QueuePairAttributes().state(QueuePairState.RTS).currentState(QueuePairState.SQD));
        pair.post(pair.request(2, SendOpcode.RDMA_WRITE, 64));
        pair.awaitSuccess(1);

        assertThat(fixture.completions.wrId(0)).isEqualTo(2);
    }

    @Test
    void shouldBeReusableAfterReset() {
        ConnectedPair pair = new ConnectedPair(fixture, QueuePairType.RC);
        for (QueuePair qp : new QueuePair[] {pair.one, pair.other}) {
            qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        }
        ConnectedPair.connect(fixture, pair.one, pair.other, ConnectedPair.OPEN);

        pair.post(pair.request(1, SendOpcode.RDMA_WRITE, 64));
        pair.awaitSuccess(1);
    }

    @Test
    void shouldRejectValuesThatCannotBeEncoded() {
        QueuePair qp = fixture.create(QueuePairType.RC);
        ConnectedPair.prepare(fixture, qp, ConnectionSettings.DEFAULTS);

        assertOutOfRange(
                qp, fixture.toRtr(qp).receivePsn(1 << 24), "RQ_PSN 16777216 is out of range. Use 0 to 16777215");
        assertOutOfRange(qp, DeviceFixture.toRts().timeout(32), "TIMEOUT 32 is out of range. Use 0 to 31");
        assertOutOfRange(qp, DeviceFixture.toRts().rnrRetry(8), "RNR_RETRY 8 is out of range. Use 0 to 7");
        assertOutOfRange(
                qp,
                fixture.toRtr(qp)
                        .addressVector(
                                new AddressHandleAttributes(fixture.gid.gid(), 0, 1, 64, 0, 0, 1, 1 << 20, 0, 0)),
                "Flow label 1048576 is out of range");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() ->
                        fixture.domain.createAddressHandle(AddressHandleAttributes.to(fixture.gid.gid(), 0, 300, 1)))
                .withMessageContaining("Source GID index 300 is out of range. Use 0 to 255");
        assertThat(qp.queryState()).isEqualTo(QueuePairState.INIT);
    }

    private static void assertOutOfRange(QueuePair qp, QueuePairAttributes attributes, String message) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(attributes))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    @DisplayName("of type UC needs no retries, and its exception names missing attributes")
    void shouldConnectUcWithoutRetries() {
        QueuePair qp = fixture.create(QueuePairType.UC);
        ConnectedPair.prepare(fixture, qp, ConnectionSettings.DEFAULTS);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(new QueuePairAttributes().state(QueuePairState.RTR)))
                .withMessageContaining("This transition also requires [AV, PATH_MTU, RQ_PSN, DEST_QPN]");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(fixture.toRtr(qp)))
                .withMessageContaining("A UC queue pair has no [MIN_RNR_TIMER, MAX_DEST_RD_ATOMIC]: omit it");
    }

    @Test
    void whenThereIsNoRouteThenConnectingFails() {
        QueuePairConnector connector =
                ConnectedPair.prepare(fixture, fixture.create(QueuePairType.RC), ConnectionSettings.DEFAULTS);
        QueuePairEndpoint unreachable =
                new QueuePairEndpoint(new Gid(0x2001_0DB8L << 32, 1), 0, 17, 0, PathMtu.MTU_1024, 1, 1);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> connector.complete(unreachable))
                .withMessageContaining("Check that this GID reaches the peer");
    }
}
