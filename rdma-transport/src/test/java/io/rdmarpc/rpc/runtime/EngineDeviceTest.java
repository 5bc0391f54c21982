package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** {@link EngineCases} and {@link EngineMoreCases} on a real device, and a server on it that is killed. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(600)
class EngineDeviceTest extends EngineMoreCases {

    private static final NicConfig DEVICE = NicConfig.DEFAULTS.withProvider("ibverbs", Map.of());

    @Override
    RdmaRuntime open(RpcConfig config) {
        return RdmaRuntime.open(DEVICE, config);
    }

    @Override
    int calls() {
        return 256;
    }

    @Test
    @DisplayName("FL-01 FL-02 the server's process is killed: calls fail in time; after a restart the channel works")
    void whenTheServerIsKilledThenCallsFailAndTheChannelReconnects() throws IOException, InterruptedException {
        int port = Runtimes.stablePort();
        try (RdmaRuntime calling = open(Runtimes.PATIENT)) {
            JavaProcess server = serve(port);
            RpcChannel channel = Runtimes.channel(calling, port);
            RpcSession session = channel.session(Runtimes.LONG);
            Runtimes.echo(session, 100_000);
            List<CompletableFuture<byte[]>> calls = IntStream.range(0, 20)
                    .mapToObj(i -> Echo.call(
                            session, Echo.SLOW.id(), Echo.payload(i % 2 == 0 ? 50 : 20_000, i), Duration.ofHours(1)))
                    .toList();
            server.kill();
            CompletableFuture<byte[]> last = calls.getLast();
            assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> Runtimes.get(last));
            Runtimes.await("the end of all calls", () -> calls.stream().allMatch(CompletableFuture::isDone));
            assertThat(session.isOpen()).isFalse();

            try (JavaProcess next = serve(port)) {
                Runtimes.echo(channel.session(Runtimes.LONG), 100_000);
                assertThat(next.isAlive()).isTrue();
            }
        }
    }

    private static JavaProcess serve(int port) throws IOException {
        JavaProcess server =
                JavaProcess.start(EchoProcess.class, "server", "ibverbs", "auto", String.valueOf(port), "patience=30");
        server.await("LISTENING");
        return server;
    }
}
