package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.CmFixture.PATIENCE;
import static io.rdmarpc.verbs.ibverbs.CmFixture.get;
import static io.rdmarpc.verbs.ibverbs.CmFixture.next;
import static io.rdmarpc.verbs.ibverbs.CmFixture.text;
import static io.rdmarpc.verbs.ibverbs.CmFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmDestination;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Connections through the kernel's connection manager, both sides in one process. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(180)
@DisplayName("The connection manager connects")
class CmConnectDeviceTest {

    private CmFixture fixture;
    private CmListener listener;

    @BeforeEach
    void open() {
        fixture = new CmFixture();
        listener = fixture.listen();
    }

    @AfterEach
    void close() {
        listener.close();
        fixture.close();
    }

    @Test
    void shouldConnectWithPrivateDataAndMessagesInBothDirections() throws Exception {
        QueuePair serverQp = fixture.queuePair();
        QueuePair clientQp = fixture.queuePair();
        CmRoute route = fixture.resolve(listener.localAddress());
        assertThat(route.deviceName()).isEqualTo(fixture.device.context.deviceName());
        assertThat(route.portNumber()).isEqualTo(DeviceFixture.PORT);
        assertThat(route.remoteAddress()).isEqualTo(listener.localAddress());
        assertThat(route.localAddress().getAddress()).isEqualTo(fixture.host());

        Future<CmConnection> connecting =
                fixture.threads.submit(() -> route.connect(clientQp, with("a client"), PATIENCE));
        CmConnectionRequest request = next(listener);
        assertThat(text(request.privateData())).isEqualTo("a client");
        assertThat(request.deviceName()).isEqualTo(route.deviceName());
        assertThat(request.localAddress()).isEqualTo(listener.localAddress());
        assertThat(request.remoteAddress()).isEqualTo(route.localAddress());
        CmConnection server = request.accept(serverQp, with("a server"), PATIENCE);
        CmConnection client = get(connecting);

        assertThat(text(client.peerPrivateData())).isEqualTo("a server");
        assertThat(text(server.peerPrivateData())).isEqualTo("a client");
        assertThat(clientQp.queryState()).isEqualTo(QueuePairState.RTS);
        assertThat(serverQp.queryState()).isEqualTo(QueuePairState.RTS);
        fixture.send(clientQp, serverQp, "to the server");
        fixture.send(serverQp, clientQp, "to the client");
        client.close();
        server.close();
    }

    @Test
    void shouldConnectWithTheMaximumOfPrivateData() throws Exception {
        byte[] requested = text("x".repeat(CmParameters.MAX_CONNECT_DATA_BYTES));
        byte[] granted = text("y".repeat(CmParameters.MAX_ACCEPT_DATA_BYTES));

        CmFixture.Pair pair = fixture.connect(
                listener, new CmParameters().privateData(requested), new CmParameters().privateData(granted));

        assertThat(pair.server().peerPrivateData()).isEqualTo(requested);
        assertThat(pair.client().peerPrivateData()).isEqualTo(granted);
        pair.close();
    }

    @Test
    void shouldConnectWithReceivesPostedBefore() throws Exception {
        QueuePair serverQp = fixture.queuePair();
        QueuePair clientQp = fixture.queuePair();
        MemoryRegion target = fixture.buffer();
        MemoryRegion source = fixture.buffer();
        source.segment().setString(0, "the first message");
        CmRoute route = fixture.resolve(listener.localAddress());
        Future<CmConnection> connecting = fixture.threads.submit(() -> {
            CmConnection client = route.connect(clientQp, new CmParameters(), PATIENCE);
            fixture.postSend(clientQp, 2, source, 64);
            return client;
        });
        CmConnectionRequest request = next(listener);

        request.initialize(serverQp);
        assertThat(serverQp.queryState()).isEqualTo(QueuePairState.INIT);
        fixture.postReceive(serverQp, 1, target);
        CmConnection server = request.accept(serverQp, new CmParameters(), PATIENCE);

        fixture.device.await(2);
        assertThat(target.segment().getString(0)).isEqualTo("the first message");
        get(connecting).close();
        server.close();
    }

    @Test
    void shouldConnectWithTheSmallerReadDepthOfBothSides() throws Exception {
        CmParameters requested = new CmParameters().initiatorDepth(5).responderResources(9);
        CmParameters granted = new CmParameters().initiatorDepth(3).responderResources(8);

        CmFixture.Pair pair = fixture.connect(listener, requested, granted);

        assertThat(pair.client().initiatorDepth()).isEqualTo(5);
        assertThat(pair.server().responderResources()).isEqualTo(5);
        assertThat(pair.client().responderResources()).isEqualTo(3);
        assertThat(pair.server().initiatorDepth()).isEqualTo(3);
        pair.close();
    }

    @Test
    void shouldConnectWithTheGrantedRights() throws Exception {
        CmFixture.Pair open = fixture.connect(listener);
        CmFixture.Pair shut = fixture.connect(listener, new CmParameters(), new CmParameters().remoteAccess(Set.of()));

        assertThat(statusOfRead(open.clientQp())).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(statusOfRead(shut.clientQp())).isEqualTo(CompletionStatus.REM_INV_REQ_ERR);
        open.close();
        shut.close();
    }

    private int statusOfRead(QueuePair queuePair) {
        MemoryRegion source = fixture.device.register(64, AccessFlag.REMOTE_READ);
        MemoryRegion target = fixture.buffer();
        SendRequests read = SendRequests.allocate(fixture.device.arena, 1, 1);
        read.set(0, 7, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 1);
        read.setSge(0, 0, target.address(), 64, target.lkey());
        read.setRemote(0, source.address(), source.rkey());
        read.chain(0, 1);
        assertThat(queuePair.postSend(read, 0)).isZero();
        fixture.device.await(1);
        return fixture.status(0);
    }

    @Test
    void shouldConnectWithConfiguredTimersAndTrafficClass() throws Exception {
        CmParameters timers = new CmParameters()
                .ackTimeout(16)
                .minRnrTimer(20)
                .retryCount(3)
                .rnrRetryCount(2)
                .flowControl(false);
        QueuePair clientQp = fixture.queuePair();
        QueuePair serverQp = fixture.queuePair();
        CmRoute route = fixture.manager.resolve(
                CmDestination.to(listener.localAddress()).from(fixture.at(0)).withTrafficClass(0x68), PATIENCE);
        Future<CmConnection> connecting = fixture.threads.submit(() -> route.connect(clientQp, timers, PATIENCE));

        CmConnection server = next(listener).accept(serverQp, timers, PATIENCE);
        CmConnection client = get(connecting);

        fixture.send(clientQp, serverQp, "with other timers");
        client.close();
        server.close();
    }

    @Test
    void shouldConnectOverIpv6() throws Exception {
        InetAddress ipv6 = linkLocal();
        CmListener onIpv6 = fixture.manager.listen(new InetSocketAddress(ipv6, 0), 4);
        assertThat(onIpv6.localAddress().getAddress()).isEqualTo(ipv6);

        CmFixture.Pair pair = fixture.connect(onIpv6);

        assertThat(pair.client().remoteAddress()).isEqualTo(onIpv6.localAddress());
        fixture.send(pair.clientQp(), pair.serverQp(), "over IPv6");
        pair.close();
        onIpv6.close();
    }

    private InetAddress linkLocal() throws IOException {
        return NetworkInterface.getByInetAddress(fixture.host())
                .inetAddresses()
                .filter(Inet6Address.class::isInstance)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldConnectToAWildcardListener() throws Exception {
        CmListener everywhere = fixture.manager.listen(new InetSocketAddress(0), 4);
        QueuePair serverQp = fixture.queuePair();
        QueuePair clientQp = fixture.queuePair();
        CmRoute route = fixture.resolve(fixture.at(everywhere.localAddress().getPort()));
        Future<CmConnection> connecting =
                fixture.threads.submit(() -> route.connect(clientQp, new CmParameters(), PATIENCE));

        CmConnection server = next(everywhere).accept(serverQp, new CmParameters(), PATIENCE);

        assertThat(server.localAddress().getAddress()).isEqualTo(fixture.host());
        get(connecting).close();
        server.close();
        everywhere.close();
    }

    @Test
    void shouldConnectTwoHundredTimesInARow() throws Exception {
        for (int i = 0; i < 200; i++) {
            CmFixture.Pair pair = fixture.connect(listener, with("client " + i), with("server " + i));
            assertThat(text(pair.client().peerPrivateData())).isEqualTo("server " + i);
            assertThat(text(pair.server().peerPrivateData())).isEqualTo("client " + i);
            pair.close();
        }
    }

    @Test
    void shouldConnectFiftyAtATime() throws Exception {
        List<Future<CmConnection>> clients = new ArrayList<>();
        List<Future<CmConnection>> servers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            clients.add(fixture.connecting(listener, with("client " + i)));
        }
        for (int i = 0; i < 50; i++) {
            CmConnectionRequest request = next(listener);
            QueuePair queuePair = fixture.queuePair();
            CmParameters echo = new CmParameters().privateData(request.privateData());
            servers.add(fixture.threads.submit(() -> request.accept(queuePair, echo, PATIENCE)));
        }

        for (int i = 0; i < 50; i++) {
            get(servers.get(i));
            assertThat(text(get(clients.get(i)).peerPrivateData())).isEqualTo("client " + i);
        }
        for (int i = 0; i < 50; i++) {
            get(clients.get(i)).close();
            get(servers.get(i)).close();
        }
    }
}
