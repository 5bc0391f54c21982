package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.CmFixture.PATIENCE;
import static io.rdmarpc.verbs.ibverbs.CmFixture.next;
import static io.rdmarpc.verbs.ibverbs.CmFixture.text;
import static io.rdmarpc.verbs.ibverbs.CmFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRejectReason;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.ibverbs.cm.Deadline;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Tests connections to programs that use librdmacm: one in C, and {@code ucmatose}. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(180)
@DisplayName("The connection manager and other processes")
class CmProcessDeviceTest {

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

    private static final int MESSAGES = 4;

    @TempDir
    private Path directory;

    private record Connected(CmConnection connection, QueuePair queuePair) {}

    private String host() {
        return fixture.host().getHostAddress();
    }

    @Test
    void shouldConnectToAServerInC() throws Exception {
        try (PeerProcess peer = PeerProcess.start(PeerProcess.compile(directory).toString(), "server", host(), "0")) {
            int port = Integer.parseInt(peer.awaitLine("listening at "));
            QueuePair queuePair = fixture.queuePair();
            MemoryRegion response = fixture.buffer();
            MemoryRegion question = fixture.buffer();
            question.segment().setString(0, "hello from Java");

            CmRoute route = fixture.resolve(fixture.at(port));
            route.initialize(queuePair);
            fixture.postReceive(queuePair, 1, response);
            CmConnection connection = route.connect(queuePair, with("asked by Java"), PATIENCE);
            fixture.postSend(queuePair, 2, question, 64);
            fixture.device.await(2);

            assertThat(text(connection.peerPrivateData())).isEqualTo("accepted by C");
            assertThat(connection.initiatorDepth()).isEqualTo(2);
            assertThat(response.segment().getString(0)).isEqualTo("hello from Java");
            assertThat(peer.awaitLine("RDMA_CM_EVENT_CONNECT_REQUEST ")).isEqualTo("0 asked by Java");
            connection.disconnect();
            assertThat(connection.awaitDisconnect(PATIENCE)).isTrue();
            peer.awaitLine("done");
            assertThat(peer.status()).isZero();
            connection.close();
        }
    }

    @Test
    void shouldAcceptAClientInC() throws Exception {
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
    void shouldRejectAClientInC() throws Exception {
        try (PeerProcess peer = startClient("client")) {
            next(listener).reject(text("not you"));

            assertThat(peer.awaitLine("RDMA_CM_EVENT_REJECTED ")).isEqualTo("28 not you");
            assertThat(peer.status()).isEqualTo(2);
        }
    }

    @Test
    void whenThePeerIsKilledThenItsKernelDisconnects() throws Exception {
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
    void shouldConnectToUcmatose() throws Exception {
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

    /** Retries, because its output is buffered and does not show when it listens. */
    private Connected connectOnceThereIsAListener(int port) throws InterruptedException {
        for (Deadline end = Deadline.in(PATIENCE); ; Thread.sleep(200)) {
            QueuePair queuePair = fixture.queuePair();
            CmRoute route = fixture.resolve(fixture.at(port));
            route.initialize(queuePair);
            postReceives(queuePair);
            try {
                return new Connected(route.connect(queuePair, new CmParameters(), PATIENCE), queuePair);
            } catch (RdmaCmException e) {
                assertThat(e.rejectReason()).isEqualTo(CmRejectReason.INVALID_SERVICE_ID);
                assertThat(end.isOver()).isFalse();
                fixture.device.await(MESSAGES);
            }
        }
    }

    @Test
    void shouldAcceptUcmatose() throws Exception {
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
