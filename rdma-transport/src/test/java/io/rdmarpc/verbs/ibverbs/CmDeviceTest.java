package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.CmFixture.PATIENCE;
import static io.rdmarpc.verbs.ibverbs.CmFixture.get;
import static io.rdmarpc.verbs.ibverbs.CmFixture.next;
import static io.rdmarpc.verbs.ibverbs.CmFixture.text;
import static io.rdmarpc.verbs.ibverbs.CmFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.SendFlags;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmDestination;
import io.rdmarpc.verbs.cm.CmException;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRejectReason;
import io.rdmarpc.verbs.cm.CmRoute;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Connections through the kernel's connection manager; both sides in one process unless the test says otherwise. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(180)
@DisplayName("The connection manager")
class CmDeviceTest {

    private static final Duration SHORT = Duration.ofMillis(1500);

    /** An emulated machine needs its time to notice that it is over. */
    private static final Duration BOUND = Duration.ofSeconds(10);

    private static final int NOBODY_LISTENS = 4791;

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

    private static CmException failure(ThrowingCallable body) {
        return catchThrowableOfType(CmException.class, body);
    }

    private static CmException failure(Future<?> future) {
        ExecutionException e = catchThrowableOfType(ExecutionException.class, () -> get(future));
        assertThat(e.getCause()).isInstanceOf(CmException.class);
        return (CmException) e.getCause();
    }

    private Future<CmConnection> connecting(CmParameters parameters) {
        CmRoute route = fixture.resolve(listener.localAddress());
        QueuePair queuePair = fixture.queuePair();
        return fixture.threads.submit(() -> {
            try (route) {
                return route.connect(queuePair, parameters, PATIENCE);
            }
        });
    }

    @Nested
    @DisplayName("connects")
    class Connects {

        @Test
        void withPrivateDataAndMessagesBothWays() throws Exception {
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
        void withAllThePrivateDataThatFit() throws Exception {
            byte[] asked = text("x".repeat(CmParameters.MAX_CONNECT_DATA_BYTES));
            byte[] granted = text("y".repeat(CmParameters.MAX_ACCEPT_DATA_BYTES));

            CmFixture.Pair pair = fixture.connect(
                    listener, new CmParameters().privateData(asked), new CmParameters().privateData(granted));

            assertThat(pair.server().peerPrivateData()).isEqualTo(asked);
            assertThat(pair.client().peerPrivateData()).isEqualTo(granted);
            pair.close();
        }

        @Test
        void withReceivesPostedBeforehand() throws Exception {
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
        void withTheLeastOfTheReadsBothSidesCan() throws Exception {
            CmParameters asked = new CmParameters().initiatorDepth(5).responderResources(9);
            CmParameters granted = new CmParameters().initiatorDepth(3).responderResources(8);

            CmFixture.Pair pair = fixture.connect(listener, asked, granted);

            assertThat(pair.client().initiatorDepth()).isEqualTo(5);
            assertThat(pair.server().responderResources()).isEqualTo(5);
            assertThat(pair.client().responderResources()).isEqualTo(3);
            assertThat(pair.server().initiatorDepth()).isEqualTo(3);
            pair.close();
        }

        @Test
        void withTheRightsThatWereGranted() throws Exception {
            CmFixture.Pair open = fixture.connect(listener);
            CmFixture.Pair shut =
                    fixture.connect(listener, new CmParameters(), new CmParameters().remoteAccess(Set.of()));

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
        void withTimersAndTrafficClassOfItsOwn() throws Exception {
            CmParameters timers = new CmParameters()
                    .ackTimeout(16)
                    .minRnrTimer(20)
                    .retryCount(3)
                    .rnrRetryCount(2)
                    .flowControl(false);
            QueuePair clientQp = fixture.queuePair();
            QueuePair serverQp = fixture.queuePair();
            CmRoute route = fixture.manager.resolve(
                    CmDestination.to(listener.localAddress())
                            .from(fixture.at(0))
                            .withTrafficClass(0x68),
                    PATIENCE);
            Future<CmConnection> connecting = fixture.threads.submit(() -> route.connect(clientQp, timers, PATIENCE));

            CmConnection server = next(listener).accept(serverQp, timers, PATIENCE);
            CmConnection client = get(connecting);

            fixture.send(clientQp, serverQp, "with other timers");
            client.close();
            server.close();
        }

        @Test
        void overIpv6() throws Exception {
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
        void toAWildcardListener() throws Exception {
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
        void twoHundredTimesInARow() throws Exception {
            for (int i = 0; i < 200; i++) {
                CmFixture.Pair pair = fixture.connect(listener, with("client " + i), with("server " + i));
                assertThat(text(pair.client().peerPrivateData())).isEqualTo("server " + i);
                assertThat(text(pair.server().peerPrivateData())).isEqualTo("client " + i);
                pair.close();
            }
        }

        @Test
        void fiftyAtATime() throws Exception {
            List<Future<CmConnection>> clients = new ArrayList<>();
            List<Future<CmConnection>> servers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                clients.add(connecting(with("client " + i)));
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

    @Nested
    @DisplayName("fails with its cause")
    class Fails {

        @Test
        void whenThePeerRejects() throws Exception {
            Future<CmConnection> connecting = connecting(new CmParameters());

            next(listener).reject(text("no room"));

            CmException failure = failure(connecting);
            assertThat(failure.failure()).isEqualTo(CmFailure.REJECTED);
            assertThat(failure.rejectReason()).isEqualTo(CmRejectReason.CONSUMER_DEFINED);
            assertThat(text(failure.privateData())).isEqualTo("no room");
            assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
            assertThat(failure)
                    .hasMessageContaining("its program refused (reason 28)")
                    .hasMessageContaining(fixture.host().getHostAddress() + " port "
                            + listener.localAddress().getPort());
        }

        @Test
        void whenNobodyListens() {
            QueuePair queuePair = fixture.queuePair();
            CmRoute route = fixture.resolve(fixture.at(NOBODY_LISTENS));

            CmException failure = failure(() -> route.connect(queuePair, new CmParameters(), PATIENCE));

            assertThat(failure.rejectReason()).isEqualTo(CmRejectReason.INVALID_SERVICE_ID);
            assertThat(failure).hasMessageContaining("nobody listens at this port");
            assertThat(queuePair.queryState()).isEqualTo(QueuePairState.ERR);
            assertThat(failure(() -> route.initialize(fixture.queuePair())).failure())
                    .isEqualTo(CmFailure.CLOSED);
        }

        @Test
        void whenThereIsNoRoute() {
            InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.1", 7);

            CmException failure = failure(() -> fixture.manager.resolve(CmDestination.to(elsewhere), PATIENCE));

            assertThat(failure.failure()).isEqualTo(CmFailure.ADDR_ERROR);
            assertThat(failure).hasMessageContaining("There is no way for 192.0.2.1 port 7");
        }

        @Test
        void whenTheAddressIsNotAnswered() throws IOException {
            byte[] neighbour = fixture.host().getAddress();
            neighbour[3] = 77;
            InetSocketAddress nobody = new InetSocketAddress(InetAddress.getByAddress(neighbour), 7);

            Deadline bound = Deadline.in(BOUND);
            assertThat(failure(() -> fixture.manager.resolve(CmDestination.to(nobody), Duration.ofMillis(100)))
                            .failure())
                    .isIn(CmFailure.TIMEOUT, CmFailure.ADDR_ERROR);
            assertThat(bound.isOver()).isFalse();
        }

        @Test
        void whenTheOwnAddressHasNoDevice() {
            CmDestination fromElsewhere =
                    CmDestination.to(listener.localAddress()).from(new InetSocketAddress("192.0.2.1", 0));

            assertThat(failure(() -> fixture.manager.resolve(fromElsewhere, PATIENCE))
                            .failure())
                    .isEqualTo(CmFailure.ADDR_ERROR);
            assertThat(failure(() -> fixture.manager.listen(new InetSocketAddress("192.0.2.1", 0), 1)))
                    .hasMessageContaining("192.0.2.1 port 0 cannot be listened at");
        }

        @Test
        void whenThePortIsTaken() {
            assertThat(failure(() -> fixture.manager.listen(listener.localAddress(), 1))
                            .errno())
                    .isEqualTo(Errno.EADDRINUSE);
        }

        @Test
        void whenNobodyAnswersInTime() {
            QueuePair queuePair = fixture.queuePair();
            CmRoute route = fixture.resolve(listener.localAddress());
            Deadline bound = Deadline.in(BOUND);

            CmException failure = failure(() -> route.connect(queuePair, new CmParameters(), SHORT));

            assertThat(bound.isOver()).isFalse();
            assertThat(failure.failure()).isEqualTo(CmFailure.TIMEOUT);
            assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT);
            assertThat(failure).hasMessageContaining("for 1500 ms");
        }

        @Test
        void whenTheClientHasGoneAwayMeanwhile() {
            QueuePair queuePair = fixture.queuePair();
            CmRoute route = fixture.resolve(listener.localAddress());
            assertThat(failure(() -> route.connect(queuePair, new CmParameters(), SHORT)))
                    .isNotNull();
            CmConnectionRequest request = next(listener);
            QueuePair serverQp = fixture.queuePair();
            Deadline bound = Deadline.in(BOUND);

            CmException failure = failure(() -> request.accept(serverQp, new CmParameters(), PATIENCE));

            assertThat(bound.isOver()).isFalse();
            // The kernel drops the events of a request that is not accepted yet: the verb's failure is all there is.
            assertThat(failure.failure()).isEqualTo(CmFailure.CONNECT_ERROR);
            // It depends on how far the kernel went along; from RESET there is no way to ERR.
            assertThat(serverQp.queryState()).isIn(QueuePairState.ERR, QueuePairState.RESET);
        }

        @Test
        void whenTheRequestIsClosedWithoutAnAnswer() throws Exception {
            Future<CmConnection> connecting = connecting(new CmParameters());

            CmConnectionRequest request = next(listener);
            request.close();
            request.close();

            assertThat(failure(connecting).rejectReason()).isEqualTo(CmRejectReason.CONSUMER_DEFINED);
            assertThatExceptionOfType(CmException.class).isThrownBy(() -> request.reject(text("too late")));
        }

        @Test
        void whenTheListenerClosesBeforeItTakesTheRequest() throws Exception {
            Future<CmConnection> connecting = connecting(new CmParameters());
            Thread.sleep(500);

            listener.close();

            assertThat(failure(connecting).failure()).isEqualTo(CmFailure.REJECTED);
        }

        @Test
        void whenTheQueuePairDoesNotFit() throws Exception {
            CmRoute route = fixture.resolve(listener.localAddress());
            QueuePair datagrams = fixture.device.create(QueuePairType.UD);
            CmFixture.Pair pair = fixture.connect(listener);
            CmRoute overTheOtherDevice =
                    fixture.manager.resolve(CmDestination.to(new InetSocketAddress("10.1.0.2", 7)), PATIENCE);

            refuses(route, datagrams, "An RC queue pair of this device is needed");
            refuses(route, pair.clientQp(), "is in the state RTS: one in RESET or INIT can be connected");
            refuses(overTheOtherDevice, fixture.queuePair(), "An RC queue pair of this device is needed");
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() ->
                            route.connect(fixture.queuePair(), new CmParameters().privateData(new byte[57]), PATIENCE))
                    .withMessageContaining("57 bytes of private data were given: it takes up to 56");
            fixture.send(pair.clientQp(), pair.serverQp(), "still connected");
            pair.close();
            overTheOtherDevice.close();
            route.close();
        }

        private void refuses(CmRoute route, QueuePair queuePair, String why) {
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> route.connect(queuePair, new CmParameters(), PATIENCE))
                    .withMessageContaining(why);
        }
    }

    @Nested
    @DisplayName("wakes who waits")
    class Wakes {

        @Test
        void whenTheListenerIsClosed() throws Exception {
            List<Future<Optional<CmConnectionRequest>>> accepting = List.of(
                    fixture.threads.submit(() -> listener.accept(PATIENCE)),
                    fixture.threads.submit(() -> listener.accept(PATIENCE)));
            Thread.sleep(300);
            Deadline bound = Deadline.in(BOUND);

            listener.close();

            for (Future<?> future : accepting) {
                assertThat(failure(future).failure()).isEqualTo(CmFailure.CLOSED);
            }
            assertThat(bound.isOver()).isFalse();
            assertThat(failure(() -> listener.accept(PATIENCE)).failure()).isEqualTo(CmFailure.CLOSED);
        }

        @Test
        void whenTheRouteIsClosed() throws Exception {
            CmRoute route = fixture.resolve(listener.localAddress());
            QueuePair queuePair = fixture.queuePair();
            Future<?> connecting = fixture.threads.submit(() -> route.connect(queuePair, new CmParameters(), PATIENCE));
            CmConnectionRequest request = next(listener);
            Deadline bound = Deadline.in(BOUND);

            route.close();

            assertThat(failure(connecting).failure()).isEqualTo(CmFailure.CLOSED);
            assertThat(bound.isOver()).isFalse();
            request.close();
        }

        @Test
        void afterTheTimeWithoutARequest() {
            Deadline atLeast = Deadline.in(Duration.ofMillis(200));

            assertThat(listener.accept(Duration.ofMillis(200))).isEmpty();

            assertThat(atLeast.isOver()).isTrue();
            assertThat(listener.accept(Duration.ZERO)).isEmpty();
        }

        @Test
        void whenTheConnectionIsClosed() throws Exception {
            CmFixture.Pair pair = fixture.connect(listener);
            Future<Boolean> waiting = fixture.threads.submit(() -> pair.client().awaitDisconnect(PATIENCE));
            Thread.sleep(200);

            pair.client().close();

            assertThat(get(waiting)).isTrue();
            pair.server().close();
        }
    }

    @Nested
    @DisplayName("disconnects")
    class Disconnects {

        @Test
        void soThatThePeerSeesIt() throws Exception {
            CmFixture.Pair pair = fixture.connect(listener);
            fixture.postReceive(pair.serverQp(), 5, fixture.buffer());
            assertThat(pair.server().awaitDisconnect(Duration.ofMillis(100))).isFalse();
            List<Future<Boolean>> waiting = List.of(
                    fixture.threads.submit(() -> pair.server().awaitDisconnect(PATIENCE)),
                    fixture.threads.submit(() -> pair.server().awaitDisconnect(PATIENCE)));

            pair.client().disconnect();
            pair.client().disconnect();

            assertThat(get(waiting.get(0))).isTrue();
            assertThat(get(waiting.get(1))).isTrue();
            assertThat(pair.client().awaitDisconnect(PATIENCE)).isTrue();
            assertThat(pair.clientQp().queryState()).isEqualTo(QueuePairState.ERR);
            assertThat(pair.serverQp().queryState()).isEqualTo(QueuePairState.ERR);
            fixture.device.await(1);
            assertThat(fixture.status(0)).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
            pair.close();
            assertThat(pair.client().awaitDisconnect(Duration.ZERO)).isTrue();
        }

        @Test
        void byACloseToo() throws Exception {
            CmFixture.Pair pair = fixture.connect(listener);

            pair.client().close();
            pair.client().close();
            pair.client().disconnect();

            assertThat(pair.server().awaitDisconnect(PATIENCE)).isTrue();
            pair.server().close();
        }

        @Test
        void inAnyOrderWithTheQueuePair() throws Exception {
            CmFixture.Pair pair = fixture.connect(listener);

            pair.clientQp().close();
            pair.client().disconnect();
            pair.client().close();
            pair.server().close();
            pair.serverQp().close();

            listener.close();
            assertThat(pair.client().awaitDisconnect(Duration.ZERO)).isTrue();
        }

        @Test
        void andTheListenersPortIsFreeAtOnce() throws Exception {
            CmFixture.Pair pair = fixture.connect(listener);
            InetSocketAddress address = listener.localAddress();

            listener.close();
            listener = fixture.manager.listen(address, 4);

            CmFixture.Pair another = fixture.connect(listener);
            fixture.send(pair.clientQp(), pair.serverQp(), "of the first listener");
            another.close();
            pair.close();
        }
    }

    @Nested
    @DisplayName("meets another process:")
    class OtherProcesses {

        private static final int MESSAGES = 4;

        @TempDir
        private Path directory;

        private record Connected(CmConnection connection, QueuePair queuePair) {}

        private String host() {
            return fixture.host().getHostAddress();
        }

        @Test
        void aServerInC() throws Exception {
            try (PeerProcess peer =
                    PeerProcess.start(PeerProcess.compile(directory).toString(), "server", host(), "0")) {
                int port = Integer.parseInt(peer.awaitLine("listening at "));
                QueuePair queuePair = fixture.queuePair();
                MemoryRegion answer = fixture.buffer();
                MemoryRegion question = fixture.buffer();
                question.segment().setString(0, "hello from Java");

                CmRoute route = fixture.resolve(fixture.at(port));
                route.initialize(queuePair);
                fixture.postReceive(queuePair, 1, answer);
                CmConnection connection = route.connect(queuePair, with("asked by Java"), PATIENCE);
                fixture.postSend(queuePair, 2, question, 64);
                fixture.device.await(2);

                assertThat(text(connection.peerPrivateData())).isEqualTo("accepted by C");
                assertThat(connection.initiatorDepth()).isEqualTo(2);
                assertThat(answer.segment().getString(0)).isEqualTo("hello from Java");
                assertThat(peer.awaitLine("RDMA_CM_EVENT_CONNECT_REQUEST ")).isEqualTo("0 asked by Java");
                connection.disconnect();
                assertThat(connection.awaitDisconnect(PATIENCE)).isTrue();
                peer.awaitLine("done");
                assertThat(peer.status()).isZero();
                connection.close();
            }
        }

        @Test
        void aClientInC() throws Exception {
            try (PeerProcess peer = startClient("client")) {
                CmConnectionRequest request = next(listener);
                QueuePair queuePair = fixture.queuePair();
                MemoryRegion buffer = fixture.buffer();
                request.initialize(queuePair);
                fixture.postReceive(queuePair, 1, buffer);

                CmConnection connection = request.accept(queuePair, with("accepted by Java"), PATIENCE);
                fixture.device.await(1);
                assertThat(buffer.segment().getString(0)).isEqualTo("hello from C");
                fixture.postSend(queuePair, 2, buffer, 64);

                assertThat(text(request.privateData())).isEqualTo("asked by C");
                assertThat(peer.awaitLine("RDMA_CM_EVENT_ESTABLISHED ")).isEqualTo("0 accepted by Java");
                assertThat(peer.awaitLine("received ")).isEqualTo("hello from C");
                assertThat(connection.awaitDisconnect(PATIENCE)).isTrue();
                peer.awaitLine("done");
                assertThat(peer.status()).isZero();
                connection.close();
            }
        }

        @Test
        void aClientInCThatIsRejected() throws Exception {
            try (PeerProcess peer = startClient("client")) {
                next(listener).reject(text("not you"));

                assertThat(peer.awaitLine("RDMA_CM_EVENT_REJECTED ")).isEqualTo("28 not you");
                assertThat(peer.status()).isEqualTo(2);
            }
        }

        @Test
        void onceKilledItIsDisconnectedByItsKernel() throws Exception {
            try (PeerProcess peer = startClient("hang")) {
                QueuePair queuePair = fixture.queuePair();
                CmConnection connection = next(listener).accept(queuePair, new CmParameters(), PATIENCE);
                peer.awaitLine("RDMA_CM_EVENT_ESTABLISHED ");
                assertThat(connection.awaitDisconnect(Duration.ZERO)).isFalse();

                peer.kill();

                assertThat(connection.awaitDisconnect(PATIENCE)).isTrue();
                assertThat(queuePair.queryState()).isEqualTo(QueuePairState.ERR);
                connection.close();
            }
        }

        @Test
        void ucmatoseAsServer() throws Exception {
            requireUcmatose();
            try (PeerProcess peer =
                    PeerProcess.start("ucmatose", "-b", host(), "-p", "17471", "-C", MESSAGES + "", "-S", "64")) {
                Connected connected = connectOnceThereIsAListener(17471);
                fixture.device.await(MESSAGES);
                sendMessages(connected.queuePair());
                fixture.device.await(MESSAGES);

                assertThat(connected.connection().awaitDisconnect(PATIENCE)).isTrue();
                connected.connection().close();
                assertThat(peer.status()).isZero();
            }
        }

        /** Its output is buffered and does not tell when it listens. */
        private Connected connectOnceThereIsAListener(int port) throws InterruptedException {
            for (Deadline end = Deadline.in(PATIENCE); ; Thread.sleep(200)) {
                QueuePair queuePair = fixture.queuePair();
                CmRoute route = fixture.resolve(fixture.at(port));
                route.initialize(queuePair);
                postReceives(queuePair);
                try {
                    return new Connected(route.connect(queuePair, new CmParameters(), PATIENCE), queuePair);
                } catch (CmException e) {
                    assertThat(e.rejectReason()).isEqualTo(CmRejectReason.INVALID_SERVICE_ID);
                    assertThat(end.isOver()).isFalse();
                    fixture.device.await(MESSAGES);
                }
            }
        }

        @Test
        void ucmatoseAsClient() throws Exception {
            requireUcmatose();
            String port = String.valueOf(listener.localAddress().getPort());
            try (PeerProcess peer =
                    PeerProcess.start("ucmatose", "-s", host(), "-p", port, "-C", MESSAGES + "", "-S", "64")) {
                CmConnectionRequest request = next(listener);
                QueuePair queuePair = fixture.queuePair();
                request.initialize(queuePair);
                postReceives(queuePair);
                CmConnection connection = request.accept(queuePair, new CmParameters(), PATIENCE);

                sendMessages(queuePair);
                fixture.device.await(2 * MESSAGES);
                for (int i = 0; i < 2 * MESSAGES; i++) {
                    assertThat(fixture.status(i)).isEqualTo(CompletionStatus.SUCCESS);
                }
                connection.disconnect();
                assertThat(connection.awaitDisconnect(PATIENCE)).isTrue();
                connection.close();
                assertThat(peer.status()).isZero();
            }
        }

        private void requireUcmatose() {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin/ucmatose")), "no ucmatose: apt install rdmacm-utils");
        }

        private void postReceives(QueuePair queuePair) {
            for (int i = 0; i < MESSAGES; i++) {
                fixture.postReceive(queuePair, i, fixture.buffer());
            }
        }

        private void sendMessages(QueuePair queuePair) {
            for (int i = 0; i < MESSAGES; i++) {
                fixture.postSend(queuePair, i, fixture.buffer(), 64);
            }
        }

        private PeerProcess startClient(String mode) throws IOException, InterruptedException {
            String port = String.valueOf(listener.localAddress().getPort());
            return PeerProcess.start(PeerProcess.compile(directory).toString(), mode, host(), port);
        }
    }

    @Test
    @DisplayName("leaves no file descriptor behind")
    void leavesNoFileDescriptorBehind() throws Exception {
        openAndClose();
        long before = fileDescriptors();

        for (int i = 0; i < 200; i++) {
            openAndClose();
        }

        assertThat(fileDescriptors()).isEqualTo(before);
    }

    /** Everything there is but a whole connection, whose queue pairs would take minutes to destroy. */
    private void openAndClose() throws Exception {
        CmListener other = fixture.listen();
        QueuePair queuePair = fixture.queuePair();
        CmRoute route = fixture.resolve(other.localAddress());
        Future<?> connecting = fixture.threads.submit(() -> route.connect(queuePair, new CmParameters(), PATIENCE));
        next(other).reject(new byte[0]);
        assertThat(failure(connecting).failure()).isEqualTo(CmFailure.REJECTED);
        fixture.resolve(other.localAddress()).close();
        assertThat(failure(() -> fixture.manager.listen(other.localAddress(), 1)))
                .isNotNull();
        other.close();
        queuePair.close();
    }

    private static long fileDescriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }
}
