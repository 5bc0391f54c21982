package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.FreePort;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** Contexts that stop, start and come back. */
@Timeout(90)
class RestartTest {

    private static ConfigurableApplicationContext server(int port) {
        return TestApplication.run(TestApplication.Server.class, "rdma.server.port=" + port);
    }

    /** A call without a server fails after the timeout. */
    private static ConfigurableApplicationContext client(int port, String timeout) {
        return TestApplication.run(
                TestApplication.Client.class,
                "rdma.client.targets.default.address=127.0.0.1:" + port,
                "rdma.client.targets.default.timeout=" + timeout);
    }

    @Test
    void theClientFindsAServerThatCameBack() throws Exception {
        int port = FreePort.find();
        try (ConfigurableApplicationContext client = client(port, "1s")) {
            Orders orders = client.getBean(Orders.class);
            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .as("no server yet")
                    .isThrownBy(() -> orders.add(1, 2))
                    .withMessageContaining("test.Orders.add at default (127.0.0.1:" + port + ")")
                    .withMessageContaining("rdma.client.targets.default.address");
            for (int round = 0; round < 3; round++) {
                try (ConfigurableApplicationContext server = server(port)) {
                    assertThat(server.isRunning()).isTrue();
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(10))
                            .ignoreExceptionsInstanceOf(RdmaRpcException.class)
                            .until(() -> orders.add(1, 2) == 3);
                    assertThat(orders.echo(new byte[2 << 20])).hasSize(2 << 20);
                }
            }
        }
    }

    @Test
    void aCallWaitsForAServerWithinItsTime() throws Exception {
        int port = FreePort.find();
        try (ConfigurableApplicationContext client = client(port, "2s")) {
            CompletableFuture<Integer> sum = CompletableFuture.supplyAsync(
                    () -> client.getBean(Orders.class).placeOne("x").total().intValue());
            // Long enough for the call to be under way; without a server there is nothing that would tell.
            Thread.sleep(300);
            try (ConfigurableApplicationContext server = server(port)) {
                assertThat(server.isRunning()).isTrue();
                assertThat(sum.get(10, TimeUnit.SECONDS)).isOne();
            }
        }
    }

    @Test
    void pausedContextsWorkAgain() throws Exception {
        int port = FreePort.find();
        try (ConfigurableApplicationContext server = server(port);
                ConfigurableApplicationContext client = client(port, "1s")) {
            Orders orders = client.getBean(Orders.class);
            assertThat(orders.add(1, 2)).isEqualTo(3);
            for (int round = 0; round < 2; round++) {
                client.stop();
                assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> orders.add(1, 2));
                client.start();
                assertThat(orders.add(1, 2)).isEqualTo(3);
                assertThat(orders.echo(new byte[2 << 20])).hasSize(2 << 20);

                server.stop();
                assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> orders.add(1, 2));
                server.start();
                Awaitility.await()
                        .atMost(Duration.ofSeconds(10))
                        .ignoreExceptionsInstanceOf(RdmaRpcException.class)
                        .until(() -> orders.add(1, 2) == 3);
            }
        }
    }

    @Test
    void callsInFlightAreAnsweredBeforeTheServerGoes() throws Exception {
        int port = FreePort.find();
        try (ConfigurableApplicationContext client = client(port, "2s")) {
            Orders orders = client.getBean(Orders.class);
            CompletableFuture<String> slow;
            CompletableFuture<String> tooSlow;
            try (ConfigurableApplicationContext server = server(port)) {
                assertThat(server.isRunning()).isTrue();
                assertThat(orders.add(1, 2)).isEqualTo(3);
                slow = orders.later("answered", 700);
                tooSlow = orders.later("too slow", 60_000);
                // Long enough for both calls to arrive: how many the server has accepted cannot be asked from outside.
                Thread.sleep(200);
            }
            assertThat(slow.get(1, TimeUnit.SECONDS)).isEqualTo("answered");
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(tooSlow::join)
                    .withCauseInstanceOf(RdmaRpcException.class);
        }
    }
}
