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

@DisplayName("The snapshots of a runtime")
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
    @DisplayName("describe each session, its peer, its state and its parameters")
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
    @DisplayName("have the number by which a session is ended; the next call opens another one")
    void whenASessionIsEndedThenTheNextCallOpensAnother() {
        channel.session(Runtimes.LONG);
        long first = only(client).id();

        assertThat(client.endSession(first + 1, false, "no such session")).isFalse();
        assertThat(client.endSession(first, false, "ended by an operator")).isTrue();

        Runtimes.await(
                "it to end",
                () -> client.sessions().isEmpty() && server.sessions().isEmpty());
        Runtimes.echo(channel.session(Runtimes.LONG), 32);
        assertThat(only(client).id()).isNotEqualTo(first);
    }

    @Test
    @DisplayName("show an ended session again after its reconnection, if that was requested")
    void whenASessionIsEndedForReconnectionThenItReconnects() {
        channel.session(Runtimes.LONG);
        long first = only(client).id();

        assertThat(client.endSession(first, true, "ended by an operator")).isTrue();

        Runtimes.await(
                "another session",
                () -> client.sessions().stream()
                        .anyMatch(session -> session.id() != first && session.state() == SessionSnapshot.State.OPEN));
    }

    @Test
    @DisplayName("have the number by which a server ends a client's session")
    void whenTheServerEndsASessionThenItEndsAtBothEnds() {
        channel.session(Runtimes.LONG);
        long theirs = only(server).id();

        assertThat(server.endSession(theirs, false, "ended by an operator")).isTrue();

        Runtimes.await("its end", () -> server.sessions().stream().noneMatch(session -> session.id() == theirs));
    }

    @Test
    @DisplayName("show the last duty cycle of each engine, and its thread")
    void whenItRunsThenEachEngineHasADutyCycle() {
        EngineSnapshot engine = server.engineSnapshots().getFirst();
        assertThat(engine.thread()).startsWith("rdma-poll-");
        assertThat(engine.threadAlive()).isTrue();
        assertThat(engine.sinceLastCycle()).isLessThan(Duration.ofSeconds(30));
        server.stop(Duration.ZERO);
        assertThat(server.engineSnapshots().getFirst().threadAlive()).isFalse();
    }

    @Test
    @DisplayName("count rejections by reason, device counters by name, and memory in use")
    void shouldCountRejectionsAndMemory() {
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
    @DisplayName("count streams, and calls that were cancelled at both ends")
    void whenStreamsOpenAndCallersCancelThenBothAreCounted() {
        server.export(StreamEcho.export(Executors.newVirtualThreadPerTaskExecutor()));
        RpcSession session = channel.session(Runtimes.LONG);
        try (BlockingStream stream = BlockingStream.open(session, StreamEcho.ECHO, 1, Runtimes.LONG.toNanos())) {
            assertThat(stream.maxMessageBytes()).isPositive();
            Runtimes.await("the stream to be counted", () -> server.activity().streamsOpen() == 1);
        }
        assertThat(client.activity().streamsOpened()).isEqualTo(1);
        assertThat(server.activity().streamsOpened()).isEqualTo(1);
        Runtimes.await("the stream to end", () -> server.activity().streamsOpen() == 0);

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
        Runtimes.await("the caller to be notified", () -> failure.get() != null);
        assertThat(client.activity().callsCancelled()).isEqualTo(1);
        Runtimes.await("the server to be notified", () -> server.activity().requestsCancelled() == 1);
        over.countDown();
    }

    /** Exports a method that responds when the latch is released. */
    private int exportWaiting(CountDownLatch over) {
        String signature = "void wait()";
        int id = ServiceContract.methodId("test.Waiting", signature);
        ServiceContract contract =
                new ServiceContract("test.Waiting", List.of(new ServiceContract.Method(id, signature)), List.of());
        RequestHandler handler = request -> {
            over.await();
            request.fail(RpcStatus.INTERNAL, "", "released");
        };
        server.export(new ServiceExport(
                contract, List.of(new ServiceExport.Method(id, handler, Executors.newVirtualThreadPerTaskExecutor()))));
        return id;
    }
}
