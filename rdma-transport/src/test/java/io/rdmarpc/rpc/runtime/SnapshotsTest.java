package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("What a runtime says of itself")
@Timeout(60)
class SnapshotsTest {

    private RdmaRuntime server;
    private RdmaRuntime client;
    private RpcServer listening;
    private RpcChannel channel;

    private static RdmaRuntime open() {
        NicConfig nic =
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        return RdmaRuntime.open(nic, Runtimes.PATIENT, PollingConfig.DEFAULTS);
    }

    @BeforeEach
    void start() {
        server = open();
        client = open();
        server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
        listening = Runtimes.listen(server);
        channel = Runtimes.channel(client, listening);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static SessionSnapshot only(RdmaRuntime runtime) {
        List<SessionSnapshot> sessions = runtime.sessions();
        assertThat(sessions).hasSize(1);
        return sessions.getFirst();
    }

    @Test
    @DisplayName("names each session, its peer, its state and what was agreed")
    void whenASessionIsOpenThenBothEndsDescribeIt() {
        assertThat(client.sessions()).isEmpty();
        RpcSession session = channel.session(Runtimes.LONG);
        Runtimes.echo(session, 32);

        SessionSnapshot calling = only(client);
        assertThat(calling.role()).isEqualTo(SessionSnapshot.Role.CLIENT);
        assertThat(calling.state()).isEqualTo(SessionSnapshot.State.OPEN);
        assertThat(calling.target()).isNotEmpty();
        assertThat(calling.info()).isEqualTo(session.info());
        assertThat(calling.rcQueuePair()).isZero();
        assertThat(calling.roundTrips().samples()).isEqualTo(1);
        SessionSnapshot answering = only(server);
        assertThat(answering.role()).isEqualTo(SessionSnapshot.Role.SERVER);
        assertThat(answering.target()).isEmpty();
        assertThat(answering.state()).isEqualTo(SessionSnapshot.State.OPEN);

        Runtimes.echo(session, 100_000);
        assertThat(only(client).rcQueuePair()).isPositive();
    }

    @Test
    @DisplayName("ends a session by its number; the next call opens another one")
    void whenASessionIsEndedThenTheNextCallOpensAnother() {
        channel.session(Runtimes.LONG);
        long first = only(client).id();

        assertThat(client.endSession(first + 1, false, "no such one")).isFalse();
        assertThat(client.endSession(first, false, "an operator wanted it")).isTrue();

        Runtimes.await(
                "it to end",
                () -> client.sessions().isEmpty() && server.sessions().isEmpty());
        Runtimes.echo(channel.session(Runtimes.LONG), 32);
        assertThat(only(client).id()).isNotEqualTo(first);
    }

    @Test
    @DisplayName("brings an ended session back by itself when asked to")
    void whenASessionIsToReconnectThenItDoesSoByItself() {
        channel.session(Runtimes.LONG);
        long first = only(client).id();

        assertThat(client.endSession(first, true, "an operator wanted a fresh one"))
                .isTrue();

        Runtimes.await(
                "it to come back",
                () -> client.sessions().stream()
                        .anyMatch(session -> session.id() != first && session.state() == SessionSnapshot.State.OPEN));
    }

    @Test
    @DisplayName("ends a client's session at the server")
    void whenTheServerEndsASessionThenItIsGoneAtBothEnds() {
        channel.session(Runtimes.LONG);
        long theirs = only(server).id();

        assertThat(server.endSession(theirs, false, "an operator wanted it")).isTrue();

        Runtimes.await("it to go", () -> server.sessions().stream().noneMatch(session -> session.id() == theirs));
    }

    @Test
    @DisplayName("tells when each engine has turned last, and its thread")
    void whenItRunsThenEachEngineHasTurned() {
        EngineSnapshot engine = server.engineSnapshots().getFirst();
        assertThat(engine.thread()).startsWith("rdma-poll-");
        assertThat(engine.threadAlive()).isTrue();
        assertThat(engine.sinceLastCycle()).isLessThan(Duration.ofSeconds(30));
        server.stop(Duration.ZERO);
        assertThat(server.engineSnapshots().getFirst().threadAlive()).isFalse();
    }

    @Test
    @DisplayName("counts rejections by reason, device counters by name, and memory in use")
    void whenAskedThenItCounts() {
        assertThat(server.rejections())
                .hasSize(SessionRejectReason.values().length)
                .containsEntry(SessionRejectReason.VERSION, 0L);
        RpcSession session = channel.session(Runtimes.LONG);
        Runtimes.echo(session, 100_000);
        assertThat(client.memory().registeredBytes()).isPositive().isLessThanOrEqualTo(client.memoryLimitBytes());
        assertThat(client.memory().chunks()).isPositive();
        assertThat(client.deviceProblem()).isNull();
        assertThat(client.activity().streamsOpened()).isZero();
    }

    @Test
    @DisplayName("counts streams, and calls that were given up at both ends")
    void whenStreamsOpenAndCallersGiveUpThenBothAreCounted() {
        server.export(StreamEcho.export(Executors.newVirtualThreadPerTaskExecutor()));
        RpcSession session = channel.session(Runtimes.LONG);
        try (BlockingStream stream = BlockingStream.open(session, StreamEcho.ECHO, 1, Runtimes.LONG.toNanos())) {
            assertThat(stream.maxMessageBytes()).isPositive();
            Runtimes.await("the stream to be seen", () -> server.activity().streamsOpen() == 1);
        }
        assertThat(client.activity().streamsOpened()).isEqualTo(1);
        assertThat(server.activity().streamsOpened()).isEqualTo(1);
        Runtimes.await("the stream to go", () -> server.activity().streamsOpen() == 0);

        AtomicReference<RdmaRpcException> failure = new AtomicReference<>();
        ResponseHandler handler = new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                response.close();
            }

            @Override
            public void onFailure(RdmaRpcException e) {
                failure.set(e);
            }
        };
        CountDownLatch over = new CountDownLatch(1);
        int waiting = exportWaiting(over);
        MessageBuffer request = session.allocate(8);
        request.length(8);
        session.call(waiting, request, Runtimes.LONG.toNanos(), handler);
        Runtimes.await("the call to run", () -> server.executingCalls() == 1);
        session.cancel(handler);
        Runtimes.await("the caller to be told", () -> failure.get() != null);
        assertThat(client.activity().callsCancelled()).isEqualTo(1);
        Runtimes.await("the server to be told", () -> server.activity().requestsCancelled() == 1);
        over.countDown();
    }

    /** Offers a method that answers when it is let go. */
    private int exportWaiting(CountDownLatch over) {
        String signature = "void wait()";
        int id = ServiceContract.methodId("test.Waiting", signature);
        ServiceContract contract =
                new ServiceContract("test.Waiting", List.of(new ServiceContract.Method(id, signature)), List.of());
        RequestHandler handler = request -> {
            over.await();
            request.fail(RpcStatus.INTERNAL, "", "it was let go");
        };
        server.export(new ServiceExport(
                contract, List.of(new ServiceExport.Method(id, handler, Executors.newVirtualThreadPerTaskExecutor()))));
        return id;
    }
}
