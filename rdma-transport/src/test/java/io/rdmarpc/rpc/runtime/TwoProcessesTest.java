package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A client in this process and a server in another one, which may be killed. */
@Timeout(180)
@ParameterizedClass
@EnumSource
@Tag("processes")
class TwoProcessesTest {

    private static final int CALLS = Integer.getInteger("rdma.test.calls", 10_000);
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(1);

    private final List<Process> servers = new ArrayList<>();

    @Parameter
    SoftLink link;

    private RdmaRuntime calling;
    private RpcChannel channel;
    private int port;

    @BeforeEach
    void open() throws IOException {
        port = startServer(Runtimes.stablePort());
        connectWith(Runtimes.PATIENT);
    }

    private void connectWith(RpcConfig config) {
        calling = Runtimes.open(config, link.options());
        channel = Runtimes.channel(calling, port);
    }

    @AfterEach
    void close() {
        calling.close();
        servers.forEach(Process::destroyForcibly);
        assertThat(calling.registeredBytes()).isZero();
    }

    /** Starts a server with the class path of this test and returns its port. */
    private int startServer(int onPort) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "--enable-native-access=io.rdmarpc.transport",
                "--module-path",
                directoryOf(RdmaRuntime.class),
                "--patch-module",
                "io.rdmarpc.transport=" + directoryOf(EchoProcess.class),
                "--module",
                "io.rdmarpc.transport/" + EchoProcess.class.getName(),
                "server",
                "soft",
                "auto",
                String.valueOf(onPort),
                "soft.addresses=127.0.0.1",
                "soft.port=0"));
        command.addAll(List.of(link.options()));
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        servers.add(server);
        BufferedReader output = server.inputReader();
        String line = output.readLine();
        assertThat(line).as("the server's first line").startsWith("LISTENING ");
        return Integer.parseInt(line.substring("LISTENING ".length()));
    }

    /** Main and test classes of a patched module share one code source, but are in two directories. */
    private static String directoryOf(Class<?> type) {
        URL resource = type.getResource(type.getSimpleName() + ".class");
        Path file = Path.of(URI.create(String.valueOf(resource)));
        return file.getRoot()
                .resolve(file.subpath(0, file.getNameCount() - type.getName().split("\\.").length))
                .toString();
    }

    private Process server() {
        return servers.getLast();
    }

    private List<CompletableFuture<byte[]>> slowCalls(int count) {
        RpcSession session = channel.session(LONG);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(Echo.call(session, Echo.SLOW.id(), Echo.payload(i % 3 == 0 ? 50_000 : 100, i), LONG));
        }
        return calls;
    }

    private static void expectFailureWithin(Duration limit, long startNanos, List<CompletableFuture<byte[]>> calls) {
        for (CompletableFuture<byte[]> call : calls) {
            assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> Runtimes.get(call));
        }
        assertThat(Runtimes.since(startNanos)).isLessThan(limit);
    }

    private void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(server().pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    @Test
    @DisplayName("SM-02 SM-12 a sequence of calls between two processes: none wrong, none lost")
    void shouldRespondToASequenceOfCalls() {
        RpcSession session = channel.session(LONG);
        for (int i = 0; i < CALLS; i++) {
            Runtimes.echo(session, Echo.INLINE_ECHO.id(), i % 64, i);
        }
        assertThat(calling.statistics().callsCompleted()).isEqualTo(CALLS);
        assertThat(channel.session(LONG)).isSameAs(session);
    }

    @Test
    @DisplayName("SM-12 a stream between two processes: every message is echoed, in order")
    void shouldEchoAStream() throws Exception {
        assertThat(StreamEcho.check(channel.session(LONG), 2_000, 1)).isEmpty();
    }

    @Test
    @DisplayName("SM-03 64 callers in one process, the server in another")
    void whenManyCallConcurrentlyThenEachGetsItsResponse() {
        RpcSession session = channel.session(LONG);
        Runtimes.inParallel(64, number -> {
            for (int i = 0; i < 20; i++) {
                Runtimes.echo(session, Echo.ECHO.id(), i % 10 == 0 ? 40_000 + number : number, i);
            }
        });
    }

    @Test
    @DisplayName(
            "FL-01 FL-02 the server is killed amid pending calls: all fail in time; after a restart the channel works")
    void whenTheServerIsKilledThenCallsFailAndTheChannelReconnects() throws IOException {
        for (int round = 0; round < 2; round++) {
            Runtimes.echo(channel.session(LONG), 10_000);
            List<CompletableFuture<byte[]>> calls = slowCalls(100);
            long received = calling.statistics().packetsReceived();
            Runtimes.await("some responses", () -> calling.statistics().packetsReceived() > received + 4);
            List<CompletableFuture<byte[]>> pending =
                    calls.stream().filter(call -> !call.isDone()).toList();
            assertThat(pending).hasSizeGreaterThan(50);

            long start = System.nanoTime();
            server().destroyForcibly();
            List<CompletableFuture<byte[]>> failed = pending.stream()
                    .filter(call -> call.handle((reply, failure) -> failure != null)
                            .orTimeout(LONG.toMillis(), TimeUnit.MILLISECONDS)
                            .join())
                    .toList();
            assertThat(failed).as("all except those in transit").hasSizeGreaterThan(40);
            expectFailureWithin(Duration.ofSeconds(2), start, failed);
            assertThat(channel.isConnected()).isFalse();

            assertThat(startServer(port)).isEqualTo(port);
            Runtimes.echo(channel.session(LONG), 10);
            Runtimes.echo(channel.session(LONG), 10_000);
        }
    }

    @Test
    @DisplayName("FL-01 a suspended server: calls fail after the heartbeat timeout; the server may resume later")
    void whenTheServerIsSuspendedThenCallsFailByTheHeartbeat() throws IOException, InterruptedException {
        calling.close();
        connectWith(Runtimes.config(HEARTBEAT_TIMEOUT, Duration.ofSeconds(2)));
        List<CompletableFuture<byte[]>> calls = slowCalls(30);
        RpcSession session = channel.session(LONG);
        signal("STOP");
        long start = System.nanoTime();
        try {
            List<CompletableFuture<byte[]>> pending =
                    calls.stream().filter(call -> !call.isDone()).toList();
            expectFailureWithin(HEARTBEAT_TIMEOUT.plusSeconds(1), start, pending);
            assertThat(session.isOpen()).isFalse();
            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> channel.session(Duration.ofMillis(300)));
        } finally {
            signal("CONT");
        }
        Runtimes.echo(channel.session(LONG), 10_000);
    }
}
