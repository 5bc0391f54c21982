package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.FreePort;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(90)
@DisplayName("What a server that stops does with what is under way")
class PlannedStopTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private int port;
    private ConfigurableApplicationContext server;
    private ConfigurableApplicationContext client;
    private Orders orders;

    @BeforeEach
    void start() throws IOException {
        port = FreePort.find();
        server = server("20s");
        client = TestApplication.client(server, "rdma.client.timeout=30s");
        orders = client.getBean(Orders.class);
        assertThat(orders.add(1, 2)).isEqualTo(3);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private ConfigurableApplicationContext server(String grace) {
        return TestApplication.run(
                TestApplication.Server.class, "rdma.server.port=" + port, "rdma.server.shutdown.grace-period=" + grace);
    }

    private static CompletableFuture<Void> close(ConfigurableApplicationContext application) {
        return CompletableFuture.runAsync(
                application::close, task -> Thread.ofPlatform().start(task));
    }

    /** The port of a server is free as soon as it takes no clients any more. */
    private ConfigurableApplicationContext successor() {
        return Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> server("20s"), ConfigurableApplicationContext::isRunning);
    }

    @Test
    @DisplayName(
            "a stream that is under way comes to its end; the next one, and calls, go to the successor at the same address")
    void whenAStreamIsUnderWayThenItComesToItsEnd() throws Exception {
        Iterator<byte[]> photos = orders.photos(60, 5_000);
        for (int i = 0; i < 5; i++) {
            assertThat(photos.next()).hasSize(5_000).containsOnly(i);
        }
        CompletableFuture<Void> closed = close(server);
        try (ConfigurableApplicationContext successor = successor()) {
            Iterator<byte[]> others = orders.photos(3, 10);
            assertThat(others.next()).hasSize(10);
            assertThat(orders.add(3, 4)).isEqualTo(7);
            assertThat(closed).as("the stream is waited for").isNotDone();

            for (int i = 5; i < 60; i++) {
                assertThat(photos.next()).hasSize(5_000).containsOnly(i);
            }
            assertThat(photos.hasNext()).isFalse();
            closed.get(LONG.dividedBy(2).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(others).toIterable().as("the rest of the other stream").hasSize(2);
            assertThat(orders.add(5, 6)).isEqualTo(11);
            assertThat(successor.getBean(RdmaRuntime.class).statistics().requestsReceived())
                    .as("calls at the successor")
                    .isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    @DisplayName("calls that have arrived are answered, also large ones")
    void whenCallsHaveArrivedThenTheyAreAnswered() {
        CompletableFuture<String> slow = orders.later("x".repeat(50_000), 500);
        Awaitility.await()
                .atMost(LONG)
                .until(() -> server.getBean(RdmaRuntime.class).executingCalls() > 0);

        server.close();

        assertThat(slow.join()).hasSize(50_000);
    }

    @Test
    @DisplayName("a call that takes longer than the grace period is in doubt, one that waits for the successor is not")
    void whenACallTakesLongerThanTheGraceThenItIsInDoubt() {
        server.close();
        server = server("200ms");
        CompletableFuture<String> slow = orders.later("slow", 60_000);
        RdmaRuntime runtime = server.getBean(RdmaRuntime.class);
        Awaitility.await().atMost(LONG).until(() -> runtime.executingCalls() > 0);
        CompletableFuture<Void> closed = close(server);
        Awaitility.await().atMost(LONG).until(() -> !runtime.isRunning());
        CompletableFuture<String> late = orders.later("late", 1);

        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(slow::join)
                .havingCause()
                .isInstanceOf(RdmaUnavailableException.class)
                .isNotInstanceOf(RdmaNotExecutedException.class)
                .withMessageContaining("may or may not have run");
        closed.join();
        server = server("200ms");
        assertThat(late.join()).isEqualTo("late");
    }
}
