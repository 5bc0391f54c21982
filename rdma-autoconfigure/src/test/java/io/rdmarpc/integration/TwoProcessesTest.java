package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.FreePort;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** The server in a JVM of its own, which may be killed. */
@Timeout(120)
@Tag("processes")
class TwoProcessesTest {

    @Test
    void aKilledServerFailsItsCallsAndIsFoundAgain() throws Exception {
        int port = FreePort.find();
        try (ConfigurableApplicationContext client = TestApplication.run(
                TestApplication.Client.class,
                "rdma.client.targets.default.address=127.0.0.1:" + port,
                "rdma.client.timeout=20s")) {
            Orders orders = client.getBean(Orders.class);
            List<CompletableFuture<String>> pending;
            try (ServerProcess server = ServerProcess.start(TestApplication.Server.class, "rdma.server.port=" + port)) {
                assertThat(orders.placeOne("bolt").total()).isEqualTo(BigDecimal.ONE);
                assertThat(orders.echo(new byte[3 << 20])).hasSize(3 << 20);
                assertThat(server.lives())
                        .as("a server without web server stays up")
                        .isTrue();
                // As many as a window has: those that wait for a place are sent again until their time is over.
                pending = IntStream.range(0, 8)
                        .mapToObj(i -> orders.later("never " + i, 60_000))
                        .toList();
                // Long enough for the calls to arrive: the other process answers none of them before it is killed.
                Thread.sleep(200);
            }
            long killed = System.nanoTime();
            for (CompletableFuture<String> call : pending) {
                assertThatExceptionOfType(CompletionException.class)
                        .isThrownBy(call::join)
                        .withCauseInstanceOf(RdmaUnavailableException.class);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(2));
            try (ServerProcess server = ServerProcess.start(TestApplication.Server.class, "rdma.server.port=" + port)) {
                assertThat(server.lives()).isTrue();
                Awaitility.await()
                        .atMost(10, TimeUnit.SECONDS)
                        .ignoreExceptionsInstanceOf(RdmaRpcException.class)
                        .until(() -> orders.add(20, 22) == 42);
                assertThat(orders.echo(new byte[3 << 20])).hasSize(3 << 20);
            }
        }
    }
}
