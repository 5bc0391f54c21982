package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("A channel reconnects:")
class ReconnectTest {

    private static final ReconnectConfig LAZY =
            new ReconnectConfig(false, Duration.ofMillis(20), Duration.ofMillis(100), Duration.ZERO, false);
    private static final ReconnectConfig SHUFFLED =
            new ReconnectConfig(false, Duration.ofMillis(20), Duration.ofMillis(100), Duration.ZERO, true);

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final List<RdmaRuntime> servers = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private RdmaRuntime calling;

    @BeforeEach
    void serve() {
        for (int i = 0; i < 2; i++) {
            RdmaRuntime serving = Runtimes.open();
            serving.export(Echo.export(executor));
            servers.add(serving);
            ports.add(listen(i, Runtimes.stablePort()).address().getPort());
        }
    }

    @AfterEach
    void close() {
        calling.close();
        servers.forEach(RdmaRuntime::close);
        executor.close();
        assertThat(calling.registeredBytes()).isZero();
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    private RpcServer listen(int server, int port) {
        return servers.get(server).listen(new InetSocketAddress(Runtimes.LOOPBACK, port));
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(Runtimes.LOOPBACK, port);
    }

    private RpcChannel channel(ControlConfig control) {
        calling = Runtimes.open(Runtimes.PATIENT.toBuilder().control(control).build());
        return calling.channel("both", List.of(at(ports.get(0)), at(ports.get(1))));
    }

    private RpcChannel channel(ReconnectConfig reconnect) {
        return channel(ControlConfig.DEFAULTS.withReconnect(reconnect));
    }

    private int sessionsOf(int server) {
        return servers.get(server).statistics().serverSessions();
    }

    @Test
    @DisplayName("FL-02 a lost session is replaced before the next call")
    void whenTheServerIsRestartedThenTheSessionIsReplacedAutomatically() {
        channel(ReconnectConfig.DEFAULTS).close();
        RpcChannel channel = Runtimes.channel(calling, ports.getFirst());
        RpcSession first = channel.session(LONG);

        servers.getFirst().stop(Duration.ZERO);
        Runtimes.await("the session to end", () -> !first.isOpen());
        servers.getFirst().start();
        listen(0, ports.getFirst());

        Runtimes.await("another session", channel::isConnected);
        Runtimes.echo(channel.session(LONG), 10_000);
    }

    @Test
    @DisplayName("FL-08 FL-03 when the server at the first address dies, its calls fail and the next address is used")
    void whenTheFirstServerDiesThenTheSecondIsUsed() {
        RpcChannel channel = channel(LAZY);
        RpcSession first = channel.session(LONG);
        Runtimes.echo(first, 10);
        assertThat(sessionsOf(0)).isOne();
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(Echo.call(first, Echo.SLOW.id(), Echo.payload(100, i), LONG));
        }

        servers.getFirst().stop(Duration.ZERO);

        calls.forEach(call ->
                assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> Runtimes.get(call)));
        Runtimes.echo(channel.session(LONG), 10_000);
        assertThat(sessionsOf(1)).isOne();
    }

    @Test
    @DisplayName("FL-08 an address without a listener does not fail the call")
    void whenTheFirstAddressIsDeadThenTheSecondIsUsed() {
        servers.getFirst().stop(Duration.ZERO);
        RpcChannel channel = channel(LAZY);

        Runtimes.echo(channel.session(LONG), 10);

        assertThat(sessionsOf(1)).isOne();
    }

    @Test
    @DisplayName("FL-08 in the order given, the first address is preferred again")
    void whenTheFirstServerIsBackThenNewSessionsGoThere() {
        RpcChannel channel = channel(LAZY);
        servers.getFirst().stop(Duration.ZERO);
        channel.session(LONG);
        servers.getFirst().start();
        listen(0, ports.getFirst());
        servers.getLast().stop(Duration.ZERO);

        Runtimes.await("the session to end", () -> !channel.isConnected());
        Runtimes.echo(channel.session(LONG), 10);
        assertThat(sessionsOf(0)).isOne();
    }

    @Test
    @DisplayName("FL-08 in random order, channels spread over the addresses")
    void whenAddressesAreShuffledThenChannelsSpread() {
        channel(SHUFFLED).close();
        for (int i = 0; i < 60; i++) {
            calling.channel("c" + i, List.of(at(ports.get(0)), at(ports.get(1))))
                    .session(LONG);
        }

        assertThat(sessionsOf(0)).isPositive();
        assertThat(sessionsOf(1)).isPositive();
        assertThat(sessionsOf(0) + sessionsOf(1)).isEqualTo(60);
    }

    @Test
    @DisplayName("an unused session is closed, and the next call opens another one")
    void whenASessionIsIdleThenItIsClosed() {
        RpcChannel channel = channel(ControlConfig.DEFAULTS.withSessionIdleTimeout(Duration.ofMillis(300)));
        RpcSession first = channel.session(LONG);
        byte[] payload = Echo.payload(10, 1);
        assertThat(Runtimes.get(Echo.call(first, Echo.SLOW.id(), payload, LONG)))
                .as("a call in execution is no idle time")
                .isEqualTo(payload);

        Runtimes.await("the session to end", () -> !first.isOpen());
        Runtimes.await("the server to be notified", () -> sessionsOf(0) == 0);
        assertThat(channel.isConnected()).as("no call needed another one").isFalse();

        Runtimes.echo(channel.session(LONG), 10);
    }

    @Test
    @DisplayName("an unused session that is kept outlives one that is not")
    void whenIdleSessionsAreKeptThenTheyStay() {
        RpcChannel other = channel(ControlConfig.DEFAULTS.withSessionIdleTimeout(Duration.ofMillis(300)));
        RpcChannel keeping = calling.channel("kept", List.of(at(ports.get(0))));
        keeping.keepIdle();
        RpcSession kept = keeping.session(LONG);
        RpcSession idle = other.session(LONG);

        Runtimes.await("the session that is not kept to end", () -> !idle.isOpen());

        assertThat(kept.isOpen()).isTrue();
        Runtimes.echo(kept, 10);
    }

    @Test
    @DisplayName("CP-12 a closed channel stays closed")
    void whenTheChannelIsClosedThenItDoesNotReconnect() {
        RpcChannel channel = channel(ReconnectConfig.DEFAULTS);
        RpcSession session = channel.session(LONG);
        channel.close();
        Runtimes.await("the session to end", () -> !session.isOpen());
        Runtimes.await("the server to be notified", () -> sessionsOf(0) == 0);

        RpcChannel other = Runtimes.channel(calling, ports.getFirst());
        Runtimes.echo(other.session(LONG), 10);

        assertThat(channel.isConnected()).isFalse();
        assertThat(sessionsOf(0)).isOne();
    }
}
