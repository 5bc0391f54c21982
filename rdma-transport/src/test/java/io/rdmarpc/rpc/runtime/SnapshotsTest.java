package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.EngineSnapshot;
import io.rdmarpc.rpc.RefusalCode;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
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
        assertThat(engine.sinceLastTurn()).isLessThan(Duration.ofSeconds(30));
        server.stop(Duration.ZERO);
        assertThat(server.engineSnapshots().getFirst().threadAlive()).isFalse();
    }

    @Test
    @DisplayName("counts refusals by reason, device counters by name, and memory in use")
    void whenAskedThenItCounts() {
        assertThat(server.refusals()).hasSize(RefusalCode.values().length).containsEntry(RefusalCode.VERSION, 0L);
        RpcSession session = channel.session(Runtimes.LONG);
        Runtimes.echo(session, 100_000);
        assertThat(client.memory().registeredBytes()).isPositive().isLessThanOrEqualTo(client.memoryLimitBytes());
        assertThat(client.memory().chunks()).isPositive();
        assertThat(client.deviceProblem()).isNull();
        assertThat(client.activity().streamsOpened()).isZero();
    }
}
