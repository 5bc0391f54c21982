package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of {@code docs/how-to/call-with-bytes.md} and {@code run-an-engine.md} are code that works. */
@DisplayName("An example of calls with bytes")
@Timeout(60)
class HelloEngineTest {

    private static final NicConfig NIC =
            NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));

    @Test
    @DisplayName("calls a method on bytes")
    void calls() {
        try (RdmaRuntime server = RdmaRuntime.open(NIC, RpcConfig.DEFAULTS);
                RdmaRuntime client = RdmaRuntime.open(NIC, RpcConfig.DEFAULTS);
                RpcServer listening = HelloEngine.serve(server)) {

            assertThat(HelloEngine.sum(client, listening.address(), 1, 2, 39)).isEqualTo(42);
        }
    }

    @Test
    @DisplayName("runs the engine in a loop of its own")
    void ownLoop() {
        try (RdmaRuntime server = RdmaRuntime.open(NIC, RpcConfig.DEFAULTS);
                RpcServer listening = HelloEngine.serve(server);
                RdmaRuntime client = OwnLoop.open(NIC);
                RpcChannel channel = client.channel("calculator", listening.address())) {
            OwnLoop loop = new OwnLoop();
            RpcCall call = channel.session(Duration.ofSeconds(30)).prepareCall(loop::onResponse);
            for (int i = 1; i <= 3; i++) {
                OwnLoop.send(call, ServiceContract.methodId("calculator", "long sum(long...)"));
                while (loop.responses() < i) {
                    loop.cycle(client);
                }
            }
            call.close();

            assertThat(loop.responses()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("runs the engine for a while instead of the polling thread")
    void ownTurns() {
        try (RdmaRuntime server = RdmaRuntime.open(NIC, RpcConfig.DEFAULTS);
                RdmaRuntime client = RdmaRuntime.open(NIC, RpcConfig.DEFAULTS);
                RpcServer listening = HelloEngine.serve(server);
                RpcChannel channel = client.channel("calculator", listening.address())) {
            OwnLoop loop = new OwnLoop();
            RpcCall call = channel.session(Duration.ofSeconds(30)).prepareCall(loop::onResponse);
            OwnLoop.send(call, ServiceContract.methodId("calculator", "long sum(long...)"));
            InvokerLoop.run(client, () -> loop.responses() < 1);
            call.close();

            assertThat(loop.responses()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"HelloEngine, call-with-bytes", "OwnLoop, run-an-engine", "InvokerLoop, run-an-engine"})
    @DisplayName("is printed as it is")
    void printed(String name, String page) throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/docs/" + name + ".java"));
        String declaration = source.substring(source.indexOf("final class "));

        assertThat(Files.readString(Path.of("../docs/how-to/" + page + ".md"))).contains("\n" + declaration + "```");
    }
}
