package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.CmFixture.PATIENCE;
import static io.rdmarpc.verbs.ibverbs.CmFixture.failure;
import static io.rdmarpc.verbs.ibverbs.CmFixture.next;
import static io.rdmarpc.verbs.ibverbs.CmFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmDestination;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRejectReason;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.cm.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Tests connections that cannot be established. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(180)
@DisplayName("Failures of the connection manager")
class CmFailureDeviceTest {

    private static final Duration SHORT = Duration.ofMillis(1500);

    /** Tolerance for an emulated machine, which notices a timeout late. */
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

    @Test
    void whenThePeerRejectsThenTheReasonIsReported() throws Exception {
        Future<CmConnection> connecting = fixture.connecting(listener, new CmParameters());

        next(listener).reject(text("no room"));

        RdmaCmException failure = failure(connecting);
        assertThat(failure.failure()).isEqualTo(CmFailure.REJECTED);
        assertThat(failure.rejectReason()).isEqualTo(CmRejectReason.CONSUMER_DEFINED);
        assertThat(text(failure.privateData())).isEqualTo("no room");
        assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
        assertThat(failure)
                .hasMessageContaining("its program rejected the request (reason 28)")
                .hasMessageContaining(fixture.host().getHostAddress() + " port "
                        + listener.localAddress().getPort());
    }

    @Test
    void whenNoProcessListensThenTheReasonIsReported() {
        QueuePair queuePair = fixture.queuePair();
        CmRoute route = fixture.resolve(fixture.at(NOBODY_LISTENS));

        RdmaCmException failure = failure(() -> route.connect(queuePair, new CmParameters(), PATIENCE));

        assertThat(failure.rejectReason()).isEqualTo(CmRejectReason.INVALID_SERVICE_ID);
        assertThat(failure).hasMessageContaining("no process listens on this port");
        assertThat(queuePair.queryState()).isEqualTo(QueuePairState.ERR);
        assertThat(failure(() -> route.initialize(fixture.queuePair())).failure())
                .isEqualTo(CmFailure.CLOSED);
    }

    @Test
    void whenThereIsNoRouteThenResolvingFails() {
        InetSocketAddress unroutable = new InetSocketAddress("192.0.2.1", 7);

        RdmaCmException failure = failure(() -> fixture.manager.resolve(CmDestination.to(unroutable), PATIENCE));

        assertThat(failure.failure()).isEqualTo(CmFailure.ADDR_ERROR);
        assertThat(failure).hasMessageContaining("There is no route for 192.0.2.1 port 7");
    }

    @Test
    void whenTheAddressDoesNotRespondThenResolvingTimesOut() throws IOException {
        byte[] neighbour = fixture.host().getAddress();
        neighbour[3] = 77;
        InetSocketAddress unresponsive = new InetSocketAddress(InetAddress.getByAddress(neighbour), 7);

        Deadline bound = Deadline.in(BOUND);
        assertThat(failure(() -> fixture.manager.resolve(CmDestination.to(unresponsive), Duration.ofMillis(100)))
                        .failure())
                .isIn(CmFailure.TIMEOUT, CmFailure.ADDR_ERROR);
        assertThat(bound.isOver()).isFalse();
    }

    @Test
    void whenTheLocalAddressHasNoDeviceThenListeningFails() {
        CmDestination fromElsewhere =
                CmDestination.to(listener.localAddress()).from(new InetSocketAddress("192.0.2.1", 0));

        assertThat(failure(() -> fixture.manager.resolve(fromElsewhere, PATIENCE))
                        .failure())
                .isEqualTo(CmFailure.ADDR_ERROR);
        assertThat(failure(() -> fixture.manager.listen(new InetSocketAddress("192.0.2.1", 0), 1)))
                .hasMessageContaining("Cannot listen at 192.0.2.1 port 0");
    }

    @Test
    void whenThePortIsInUseThenListeningFails() {
        assertThat(failure(() -> fixture.manager.listen(listener.localAddress(), 1))
                        .errno())
                .isEqualTo(Errno.EADDRINUSE);
    }

    @Test
    void whenTheServerDoesNotRespondThenConnectingTimesOut() {
        QueuePair queuePair = fixture.queuePair();
        CmRoute route = fixture.resolve(listener.localAddress());
        Deadline bound = Deadline.in(BOUND);

        RdmaCmException failure = failure(() -> route.connect(queuePair, new CmParameters(), SHORT));

        assertThat(bound.isOver()).isFalse();
        assertThat(failure.failure()).isEqualTo(CmFailure.TIMEOUT);
        assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT);
        assertThat(failure).hasMessageContaining("within 1500 ms");
    }

    @Test
    void whenTheClientIsGoneThenAcceptingFails() {
        QueuePair queuePair = fixture.queuePair();
        CmRoute route = fixture.resolve(listener.localAddress());
        assertThat(failure(() -> route.connect(queuePair, new CmParameters(), SHORT)))
                .isNotNull();
        CmConnectionRequest request = next(listener);
        QueuePair serverQp = fixture.queuePair();
        Deadline bound = Deadline.in(BOUND);

        RdmaCmException failure = failure(() -> request.accept(serverQp, new CmParameters(), PATIENCE));

        assertThat(bound.isOver()).isFalse();
        // The kernel drops the events of a request that is not accepted yet: only the verb reports the failure.
        assertThat(failure.failure()).isEqualTo(CmFailure.CONNECT_ERROR);
        // The state depends on the progress of the kernel; it has no transition from RESET to ERR.
        assertThat(serverQp.queryState()).isIn(QueuePairState.ERR, QueuePairState.RESET);
    }

    @Test
    void whenTheRequestIsClosedThenThePeerIsRejected() throws Exception {
        Future<CmConnection> connecting = fixture.connecting(listener, new CmParameters());

        CmConnectionRequest request = next(listener);
        request.close();
        request.close();

        assertThat(failure(connecting).rejectReason()).isEqualTo(CmRejectReason.CONSUMER_DEFINED);
        assertThatExceptionOfType(RdmaCmException.class).isThrownBy(() -> request.reject(text("too late")));
    }

    @Test
    void whenTheListenerClosesThenPendingRequestsAreRejected() throws Exception {
        Future<CmConnection> connecting = fixture.connecting(listener, new CmParameters());
        // Long enough for the request to arrive. An earlier one would be rejected because no process listens.
        Thread.sleep(500);

        listener.close();

        assertThat(failure(connecting).failure()).isEqualTo(CmFailure.REJECTED);
    }

    @Test
    void whenTheQueuePairIsUnsuitableThenConnectingFails() throws Exception {
        CmRoute route = fixture.resolve(listener.localAddress());
        QueuePair datagrams = fixture.device.create(QueuePairType.UD);
        CmFixture.Pair pair = fixture.connect(listener);
        CmRoute overTheOtherDevice =
                fixture.manager.resolve(CmDestination.to(new InetSocketAddress("10.1.0.2", 7)), PATIENCE);

        rejects(route, datagrams, "An RC queue pair of this device is required");
        rejects(route, pair.clientQp(), "is in state RTS: use one in RESET or INIT");
        rejects(overTheOtherDevice, fixture.queuePair(), "An RC queue pair of this device is required");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() ->
                        route.connect(fixture.queuePair(), new CmParameters().privateData(new byte[57]), PATIENCE))
                .withMessageContaining("57 bytes of private data exceed the maximum of 56");
        fixture.send(pair.clientQp(), pair.serverQp(), "still connected");
        pair.close();
        overTheOtherDevice.close();
        route.close();
    }

    private void rejects(CmRoute route, QueuePair queuePair, String why) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> route.connect(queuePair, new CmParameters(), PATIENCE))
                .withMessageContaining(why);
    }
}
