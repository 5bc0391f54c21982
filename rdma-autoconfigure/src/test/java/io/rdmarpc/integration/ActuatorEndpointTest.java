package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.autoconfigure.client.TargetTimeouts;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code /actuator/rdma}, health and info as an operator sees them: over HTTP. */
@Timeout(60)
class ActuatorEndpointTest {

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;

    @BeforeAll
    static void start() {
        server = run(TestApplication.Server.class);
        client = run(
                TestApplication.Client.class,
                "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server),
                "management.endpoint.rdma.access=unrestricted",
                "management.endpoint.rdmatargets.access=unrestricted");
    }

    private static ConfigurableApplicationContext run(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "server.port=0",
                "server.address=127.0.0.1",
                "management.endpoints.web.exposure.include=rdma,rdmatargets,health,info",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.probes.enabled=true"));
        all.addAll(List.of(properties));
        return TestApplication.run(application, WebApplicationType.SERVLET, all.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static HttpResponse<String> send(
            ConfigurableApplicationContext application, String method, String path, String body) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + path))
                .method(method, BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static JsonNode get(ConfigurableApplicationContext application, String path) {
        return JsonMapper.shared().readTree(send(application, "GET", path, "").body());
    }

    @Test
    void theReportIsJson() {
        client.getBean(Orders.class).add(1, 2);
        JsonNode report = get(client, "rdma");
        assertThat(report.at("/device/name").asString()).isEqualTo("soft0");
        assertThat(report.at("/sessions/0/peer").asString()).contains("127.0.0.1");
        assertThat(report.at("/clients/0/target").asString()).isEqualTo("default");
        assertThat(get(server, "rdma").at("/services/0/name").asString()).isEqualTo("test.Orders");
    }

    @Test
    void aSessionIsEndedWhereThatIsAllowed() {
        Orders orders = client.getBean(Orders.class);
        orders.add(1, 2);
        String id = get(client, "rdma").at("/sessions/0/id").asString();
        assertThat(get(client, "rdma/" + id).at("/state").asString()).isEqualTo("open");

        HttpResponse<String> answer = send(client, "POST", "rdma/" + id, "{\"action\": \"reconnect\"}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"action\":\"reconnect\"");
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(send(client, "GET", "rdma/" + id, "").statusCode())
                                .isEqualTo(404));
        assertThat(orders.add(1, 2)).isEqualTo(3);
    }

    @Test
    void byDefaultTheEndpointOnlyReads() {
        assertThat(send(server, "POST", "rdma/1", "{\"action\": \"close\"}").statusCode())
                .isEqualTo(405);
    }

    @Test
    void theTimeOfATargetsCallsChangesWhileTheApplicationRuns() {
        Orders orders = client.getBean(Orders.class);
        orders.add(1, 2);
        assertThat(get(client, "rdmatargets").at("/targets/0/timeoutMillis").asInt())
                .isEqualTo(3000);

        assertThat(send(client, "POST", "rdmatargets/default", "{\"timeout\": \"150ms\"}")
                        .body())
                .contains("\"timeoutMillis\":150");
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> orders.later("late", 20_000).join())
                .withCauseInstanceOf(RdmaTimeoutException.class);

        TargetTimeouts timeouts = client.getBean(TargetTimeouts.class);
        timeouts.set("default", Duration.ofSeconds(3));
        assertThat(timeouts.of("default")).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aTimeOrATargetThatCannotBeIsRejected() {
        client.getBean(Orders.class).add(1, 2);
        assertThat(send(client, "POST", "rdmatargets/default", "{\"timeout\": \"0s\"}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(send(client, "POST", "rdmatargets/other", "{\"timeout\": \"1s\"}")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void healthAndInfoNameTheDevice() {
        JsonNode health = get(server, "health").at("/components/rdma");
        assertThat(health.at("/status").asString()).isEqualTo("UP");
        assertThat(health.at("/details/device").asString()).isEqualTo("soft0");
        assertThat(get(server, "info").at("/rdma/provider").asString()).isEqualTo("soft");
    }

    @Test
    void whetherTheProcessLivesDoesNotDependOnRdma() {
        assertThat(send(server, "GET", "health/liveness", "").body())
                .contains("UP")
                .doesNotContain("rdma");
    }
}
