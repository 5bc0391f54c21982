package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Meters as an operator sees them: over HTTP at {@code /actuator/metrics}. */
@Timeout(60)
class ActuatorMetricsTest {

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;

    @BeforeAll
    static void callSome() {
        server = run(TestApplication.Server.class);
        client = run(
                TestApplication.Client.class,
                "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server));
        Orders orders = client.getBean(Orders.class);
        for (int i = 0; i < 5; i++) {
            orders.add(i, i);
        }
        orders.echo(new byte[2 << 20]);
        assertThat(catchThrowable(() -> orders.reject("no"))).isNotNull();
    }

    private static ConfigurableApplicationContext run(Class<?> application, String... properties) {
        String[] all = new String[properties.length + 3];
        all[0] = "server.port=0";
        all[1] = "server.address=127.0.0.1";
        all[2] = "management.endpoints.web.exposure.include=metrics";
        System.arraycopy(properties, 0, all, 3, properties.length);
        return TestApplication.run(application, WebApplicationType.SERVLET, all);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static String metric(ConfigurableApplicationContext application, String path) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/metrics" + path);
            return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static void await(ConfigurableApplicationContext application, String path, String... contained) {
        // A server counts a call after it has answered it.
        Awaitility.await()
                .untilAsserted(() -> assertThat(metric(application, path)).contains(contained));
    }

    @Test
    void allAreListed() {
        await(
                server,
                "",
                "rpc.server.call.duration",
                "rdma.engine.packets",
                "rdma.engine.bytes",
                "rdma.engine.retransmissions",
                "rdma.engine.duplicates",
                "rdma.engine.packets.dropped",
                "rdma.engine.reads",
                "rdma.engine.read.bytes",
                "rdma.sessions");
        await(client, "", "rpc.client.call.duration", "rdma.engine.calls.active", "rdma.memory.registered");
    }

    @Test
    void callsAreTimedOnBothSides() {
        await(
                client,
                "/rpc.client.call.duration?tag=rpc.method:test.Orders/add&tag=rdma.target:default",
                "\"value\":5.0",
                "server.address",
                "127.0.0.1",
                "server.port");
        await(
                server,
                "/rpc.server.call.duration?tag=rpc.method:test.Orders/add&tag=rpc.status_code:OK",
                "\"value\":5.0",
                "rdmarpc");
        await(
                server,
                "/rpc.server.call.duration?tag=rpc.method:test.Orders/reject&tag=error.type:HANDLER_FAILED",
                "\"value\":1.0");
        await(
                client,
                "/rpc.client.call.duration?tag=rpc.method:test.Orders/reject&tag=rpc.status_code:HANDLER_FAILED",
                "\"value\":1.0",
                "error.type");
    }

    @Test
    void theEngineCounts() {
        await(client, "/rdma.engine.packets", "\"direction\"", "sent", "received");
        await(client, "/rdma.sessions?tag=role:client", "\"value\":1.0");
        await(server, "/rdma.sessions?tag=role:server", "\"value\":1.0");
        await(client, "/rdma.engine.read.bytes", "\"value\":2");
        await(server, "/rdma.engine.packets.dropped", "\"reason\"", "unknown_session");
    }
}
