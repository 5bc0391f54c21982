package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.CmFixture.PATIENCE;
import static io.rdmarpc.verbs.ibverbs.CmFixture.failure;
import static io.rdmarpc.verbs.ibverbs.CmFixture.get;
import static io.rdmarpc.verbs.ibverbs.CmFixture.next;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.ibverbs.cm.Deadline;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Tests the end of connections and of waits. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(180)
@DisplayName("Closing by the connection manager")
class CmCloseDeviceTest {

    /** Tolerance for an emulated machine, which notices a timeout late. */
    private static final Duration BOUND = Duration.ofSeconds(10);

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
    void whenTheListenerIsClosedThenWaitingThreadsWake() throws Exception {
        List<Future<Optional<CmConnectionRequest>>> accepting = List.of(
                fixture.threads.submit(() -> listener.accept(PATIENCE)),
                fixture.threads.submit(() -> listener.accept(PATIENCE)));
        // Long enough for both threads to sleep in the kernel; a later thread must get the same result.
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
    void whenTheRouteIsClosedThenWaitingThreadsWake() throws Exception {
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
    void whenNoRequestArrivesThenAcceptTimesOut() {
        Deadline atLeast = Deadline.in(Duration.ofMillis(200));

        assertThat(listener.accept(Duration.ofMillis(200))).isEmpty();

        assertThat(atLeast.isOver()).isTrue();
        assertThat(listener.accept(Duration.ZERO)).isEmpty();
    }

    @Test
    void whenTheConnectionIsClosedThenWaitingThreadsWake() throws Exception {
        CmFixture.Pair pair = fixture.connect(listener);
        Future<Boolean> waiting = fixture.threads.submit(() -> pair.client().awaitDisconnect(PATIENCE));
        // Long enough for the other thread to sleep in the kernel; a later thread must also see the end.
        Thread.sleep(200);

        pair.client().close();

        assertThat(get(waiting)).isTrue();
        pair.server().close();
    }

    @Test
    void shouldNotifyThePeerOfADisconnect() throws Exception {
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
    void shouldDisconnectOnClose() throws Exception {
        CmFixture.Pair pair = fixture.connect(listener);

        pair.client().close();
        pair.client().close();
        pair.client().disconnect();

        assertThat(pair.server().awaitDisconnect(PATIENCE)).isTrue();
        pair.server().close();
    }

    @Test
    void shouldDisconnectBeforeOrAfterTheQueuePairCloses() throws Exception {
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
    void shouldFreeTheListenersPortAtOnce() throws Exception {
        CmFixture.Pair pair = fixture.connect(listener);
        InetSocketAddress address = listener.localAddress();

        listener.close();
        listener = fixture.manager.listen(address, 4);

        CmFixture.Pair another = fixture.connect(listener);
        fixture.send(pair.clientQp(), pair.serverQp(), "of the first listener");
        another.close();
        pair.close();
    }

    @Test
    void shouldCloseAllFileDescriptors() throws Exception {
        openAndClose();
        long before = fileDescriptors();

        for (int i = 0; i < 200; i++) {
            openAndClose();
        }

        assertThat(fileDescriptors()).isEqualTo(before);
    }

    /** Creates all objects except connected queue pairs, which would take minutes to destroy. */
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
