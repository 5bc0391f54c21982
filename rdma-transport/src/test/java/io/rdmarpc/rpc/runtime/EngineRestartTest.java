package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("An engine that cannot continue")
@Timeout(120)
class EngineRestartTest {

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final RdmaRuntime server = Runtimes.open();
    private final AtomicInteger threadsMade = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
        executor.close();
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    private RpcServer listen() {
        server.export(Echo.export(executor));
        return Runtimes.listen(server);
    }

    private static EngineSnapshot engineOf(RdmaRuntime runtime) {
        return runtime.engineSnapshots().getFirst();
    }

    /** Retried while another thread runs the engine. */
    private static void failEngine(RdmaRuntime runtime) {
        Runtimes.await("the engine to fail", () -> {
            runtime.engines().getFirst().loop().fail("failed by a test");
            return engineOf(runtime).problem() != null;
        });
    }

    @Test
    @DisplayName("fails its calls with the reason, reports it, and soon works again with the same channel")
    void whenAnEngineFailsThenItRestarts() {
        try (RdmaRuntime client = Runtimes.open()) {
            RpcChannel channel = Runtimes.channel(client, listen());
            Runtimes.echo(channel.session(LONG), 100);
            CompletableFuture<byte[]> call = Echo.call(channel.session(LONG), Echo.SLOW.id(), new byte[8], LONG);

            failEngine(client);
            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> Runtimes.get(call))
                    .withMessageContaining("failed by a test");

            Runtimes.await("the restart", () -> engineOf(client).problem() == null);
            assertThat(engineOf(client).restarts()).isOne();
            Runtimes.echo(channel.session(LONG), 100);
            Runtimes.echo(channel.session(LONG), 100_000);
        }
    }

    @Test
    @DisplayName("of a server: its clients reconnect")
    void whenTheServersEngineFailsThenClientsReconnect() {
        try (RdmaRuntime client = Runtimes.open()) {
            RpcChannel channel = Runtimes.channel(client, listen());
            Runtimes.echo(channel.session(LONG), 100);

            failEngine(server);
            Runtimes.await("the restart", () -> engineOf(server).problem() == null);

            Runtimes.echo(channel.session(LONG), 100);
        }
    }

    @Test
    @DisplayName("whose thread has died gets another thread")
    void whenThePollingThreadDiesThenTheEngineGetsAnother() {
        NicContext nic = NicContext.open(Runtimes.nic());
        UdTransport ud = UdTransport.open(nic, UdConfig.DEFAULTS);
        RcTransport rc = RcTransport.open(nic, RcConfig.DEFAULTS);
        PollingThread mortal = new PollingThread(
                "rdma-poll-mortal", IdlePolicy.ADAPTIVE, 10, Duration.ofMillis(1), PollingThread.ANY_CPU, task -> {
                    // The first thread ends before it has run a duty cycle.
                    Runnable life = threadsMade.incrementAndGet() == 1 ? () -> {} : task;
                    return Thread.ofPlatform().daemon().name("rdma-poll-mortal").unstarted(life);
                });
        try (RdmaRuntime client = RdmaRuntime.create(nic, ud, rc, mortal, MemoryConfig.DEFAULTS, Runtimes.PATIENT)) {
            client.start();
            Runtimes.await(
                    "another thread",
                    () -> threadsMade.get() == 2 && engineOf(client).threadAlive());
            assertThat(engineOf(client).problem()).contains("rdma-poll-mortal has died");
            Runtimes.await("the restart", () -> engineOf(client).problem() == null);

            RpcChannel channel = Runtimes.channel(client, listen());
            Runtimes.echo(channel.session(LONG), 100);
        }
        rc.close();
        ud.close();
        nic.close();
    }
}
