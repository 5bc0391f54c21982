package io.rdmarpc.integration.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import io.rdmarpc.remote.RemoteMemoryStatistics;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.client.MessageBuffers;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.unit.DataSize;

@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Arguments and results by reference, when something goes wrong")
@Tag("processes")
class ByReferenceFailureTest {

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Set<RemoteRight> READ = Set.of(RemoteRight.READ);
    private static final String MEMORY = "rdma.remote-memory.enabled=true";

    private ServerProcess server;
    private ConfigurableApplicationContext client;
    private RemoteMemoryTemplate memory;
    private Frames frames;

    @BeforeAll
    void start() throws IOException {
        server = ServerProcess.start(FrameApplication.Server.class, MEMORY, "rdma.memory.max-size=64MB");
        client = FrameApplication.client(server.address(), MEMORY, "rdma.client.timeout=30s");
        memory = client.getBean(RemoteMemoryTemplate.class);
        frames = client.getBean(Frames.class);
    }

    @AfterAll
    void stop() {
        client.close();
        server.close();
    }

    private RemoteMemoryStatistics.Lending lending() {
        return memory.memory().statistics().lending();
    }

    private LocalRegion local() {
        return memory.allocateLocal(DataSize.ofKilobytes(4));
    }

    private MessageBuffer message(int bytes) {
        MessageBuffer message = MessageBuffers.forArgument(frames, bytes);
        message.segment().asSlice(0, bytes).fill((byte) 1);
        message.length(bytes);
        return message;
    }

    private static Reason reasonOf(Runnable use) {
        RdmaRemoteMemoryException[] rejection = new RdmaRemoteMemoryException[1];
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(use::run)
                .satisfies(thrown -> rejection[0] = thrown);
        return rejection[0].reason();
    }

    // Regions.

    @Test
    @DisplayName("the owner of results is killed: those in use and those not used yet are lost")
    void whenTheOwnerDiesThenItsRegionsAreLost() throws IOException {
        ServerProcess mortal = ServerProcess.start(FrameApplication.Server.class, MEMORY);
        try (ConfigurableApplicationContext reader = FrameApplication.client(mortal.address(), MEMORY)) {
            Frames remote = reader.getBean(Frames.class);
            RemoteRegion used = remote.lend(4_096, (byte) 1);
            RemoteRegion unused = remote.lend(4_096, (byte) 2);
            assertThat(used.read(0, 1)).containsExactly(1);
            mortal.close();
            Awaitility.await().until(() -> !used.isUsable());
            assertThat(reasonOf(() -> used.read(0, 1))).isEqualTo(Reason.LOST);
            assertThat(reasonOf(() -> unused.read(0, 1))).isEqualTo(Reason.LOST);
            used.close();
            unused.close();
        } finally {
            mortal.close();
        }
    }

    @Test
    @DisplayName("a lease that ends on the way: the service is rejected, and its words come back; it is not sent again")
    void whenTheLeaseEndsOnTheWayThenTheServiceIsRejected() {
        try (LocalRegion local = local();
                RemoteRegion first = memory.lend(local.slice(), READ, LEASE)) {
            // The lease below is for a call, not for connections and classes that the first one waits for.
            frames.sum(first);
        }
        try (LocalRegion local = local();
                RemoteRegion frame = memory.lend(local.slice(), READ, Duration.ofSeconds(2))) {
            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> frames.readUntilRejected(frame))
                    .withMessageContaining("lease")
                    .satisfies(failure ->
                            assertThat(failure.remoteType()).isEqualTo(RdmaRemoteMemoryException.class.getName()));
            Awaitility.await().until(() -> !frame.isUsable());
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> frames.sum(frame))
                    .withMessageContaining("its lease has expired");
        }
    }

    @Test
    @DisplayName("its owner closes a region that the service works on: the service is rejected")
    void whenTheCallerClosesARegionBeforeTheEndThenTheServiceIsRejected() {
        long opened = lending().opened();
        try (LocalRegion local = local()) {
            RemoteRegion frame = memory.lend(local.slice(), READ, LEASE);
            CompletableFuture<Long> reads = CompletableFuture.supplyAsync(() -> frames.readUntilRejected(frame));
            Awaitility.await().until(() -> lending().opened() > opened);
            frame.close();
            assertThat(lending().regions()).isZero();
            assertThat(reads)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(RdmaRemoteException.class);
        }
    }

    @Test
    @DisplayName("remote memory is not open at one side: a region is rejected in words, messages still go")
    void whenRemoteMemoryIsNotOpenThenThatIsSaid() throws IOException {
        try (ServerProcess without =
                        ServerProcess.start(FrameApplication.ServerWithoutMemory.class, "rdma.server.enabled=true");
                ConfigurableApplicationContext with = FrameApplication.client(without.address(), MEMORY);
                ConfigurableApplicationContext neither = FrameApplication.client(without.address());
                LocalRegion local = with.getBean(RemoteMemoryTemplate.class).allocateLocal(DataSize.ofKilobytes(4));
                RemoteRegion frame = with.getBean(RemoteMemoryTemplate.class).lend(local.slice(), READ, LEASE)) {
            assertThatExceptionOfType(RdmaRpcException.class)
                    .isThrownBy(() -> with.getBean(Frames.class).ignore(frame))
                    .withMessageContaining("the peer has remote memory open")
                    .satisfies(failure -> assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL));
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> neither.getBean(Frames.class).ignore(frame))
                    .withMessageContaining("Set rdma.remote-memory.enabled=true on both sides");
            Frames messagesOnly = neither.getBean(Frames.class);
            MessageBuffer message = MessageBuffers.forArgument(messagesOnly, 10);
            message.length(10);
            assertThat(messagesOnly.lengthOf(message)).isEqualTo(10);
        }
    }

    // Messages.

    @Test
    @DisplayName("a buffer that was sent is the engine's: its sender cannot close it, and the call goes on")
    void whenTheCallerClosesWhatWasSentThenThatIsRejected() {
        MessageBuffer sent = message(200_000);
        CompletableFuture<Long> total = frames.totalLater(sent);
        Awaitility.await().until(() -> !sent.isOpen());
        assertThatExceptionOfType(RdmaBufferStateException.class)
                .isThrownBy(sent::close)
                .withMessageContaining("handed to the engine");
        assertThat(total).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(200_000L);
    }

    @Test
    @DisplayName("a buffer that was closed before it was sent does not go out")
    void whenABufferIsClosedBeforeTheCallThenThatIsSaid() {
        MessageBuffer closed = message(10);
        closed.close();
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> frames.total(closed))
                .withMessageContaining("closed or sent");
    }

    @Test
    @DisplayName("a buffer that is longer than a message may be is not made")
    void whenABufferIsTooLongThenItIsNotMade() {
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> MessageBuffers.forArgument(frames, Integer.MAX_VALUE))
                .withMessageContaining("rdma.max-message-size");
    }

    @Test
    @DisplayName("buffers are for clients, and for methods that run")
    void whenNobodyIsCalledThenThereIsNoBuffer() {
        Frames own = new FrameStore(memory);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> MessageBuffers.forArgument(own, 10))
                .withMessageContaining("pass the proxy");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> MessageBuffers.forResult(10))
                .withMessageContaining("no service method runs on this thread");
    }

    @Test
    @DisplayName("a method that fails after it has allocated its result leaves nothing behind")
    void whenAMethodFailsThenItsResultIsClosed() {
        // More than the server may register.
        for (int i = 0; i < 100; i++) {
            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> frames.halfWritten(1_000_000))
                    .withMessageContaining("none of");
        }
    }

    @Test
    @DisplayName("a method that answers with a buffer it has closed has failed")
    void whenAMethodReturnsAClosedBufferThenTheCallFails() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(frames::closed)
                .withMessageContaining("closed or sent");
    }

    @Test
    @DisplayName("small results that nobody closes do not stop calls, and the log tells of those that were dropped")
    void whenResultsAreNotClosedThenCallsGoOnAndTheLogSaysSo(CapturedOutput output) {
        List<MessageBuffer> held = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            held.add(frames.counting(100));
        }
        assertThat(held).allMatch(each -> each.segment().get(ValueLayout.JAVA_BYTE, 99) == 99);
        held.clear();
        Awaitility.await().untilAsserted(() -> {
            System.gc();
            assertThat(output).contains("a result of test.Frames.counting, 100 bytes, was not closed");
        });
        assertThat(frames.total(message(10))).isEqualTo(10);
    }
}
