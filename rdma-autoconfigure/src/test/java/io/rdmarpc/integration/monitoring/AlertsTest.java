package io.rdmarpc.integration.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Applications with one trouble each, scraped by a real Prometheus with the rules of {@code config/prometheus}. The test
 * of the rules themselves, with their own times, is {@link AlertRulesTest}.
 */
@Tag("processes")
@Timeout(180)
@TestMethodOrder(OrderAnnotation.class)
@DisplayName("Prometheus alerts for applications in trouble, and evaluates the dashboard's queries")
class AlertsTest {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final byte[] LARGE = new byte[1 << 20];
    private static final byte[] NONE = {};

    @TempDir
    static Path directory;

    private static final Map<String, Instance> INSTANCES = new LinkedHashMap<>();
    private static PrometheusServer prometheus;

    @BeforeAll
    static void start() throws IOException {
        PrometheusServer.program("prometheus");
        int healthy = server("healthy-server");
        client("healthy-client", healthy).calls(2, 20, work -> work.run(0, NONE));
        client("lonely", FreePort.find(), "rdma.client.timeout=300ms").calls(2, 20, work -> work.run(0, NONE));
        client("queueing", healthy, "rdma.client.max-in-flight=1", "rdma.client.timeout=60s")
                .calls(300, 20, work -> work.later(100).join());
        client("dead-port", healthy, "rdma.soft.faults.script=port_err 20 UD", "rdma.client.timeout=300ms")
                .calls(1, 20, work -> work.run(0, NONE));
        Instance failing = client(
                "dead-queue-pair", healthy, "rdma.soft.faults.script=qp_fatal 20 UD", "rdma.client.timeout=300ms");
        // The retransmission timeouts of this client are the defaults of rdma-rpc.
        client(
                        "lossy",
                        healthy,
                        "rdma.soft.faults.loss=0.1",
                        "rdma.retransmit.initial-timeout=20ms",
                        "rdma.retransmit.min-timeout=5ms")
                .calls(2, 20, work -> work.run(0, NONE));

        client("overloading", server("overloaded", "rdma.server.max-concurrent-calls=1"))
                .calls(8, 20, work -> work.run(100, NONE));
        client(
                        "intruder",
                        server("secured", "rdma.security.token=a secret of the server"),
                        "rdma.security.token=another secret of a client",
                        "rdma.client.timeout=300ms")
                .calls(1, 100, work -> work.run(0, NONE));
        client("blocking", server("blocked")).calls(1, 20, work -> work.block(12_000));
        client(
                        "hoarding",
                        server("hoarded", "rdma.client.max-in-flight=64"),
                        "rdma.client.max-in-flight=64",
                        "rdma.memory.max-size=64MB")
                .calls(48, 20, work -> work.run(1_000, LARGE));
        // A READ of 1 MiB at this rate takes twice as long as the server waits.
        client(
                        "slow-sender",
                        server("slow-reader", "rdma.rc.read-budget=1", "rdma.rc.read-timeout=8s"),
                        "rdma.soft.faults.bandwidth=500kbit",
                        "rdma.client.timeout=40s")
                .calls(4, 20, work -> work.run(0, LARGE));

        Map<String, Integer> ports = new LinkedHashMap<>();
        INSTANCES.forEach((name, instance) -> ports.put(name, instance.httpPort()));
        prometheus = PrometheusServer.start(directory, ports);
        // Prometheus does not see the increase of a counter that was not zero when it was first scraped.
        Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> prometheus.query("rdma_engine_queue_pair_failures_total{instance=\"dead-queue-pair\"}"),
                        series -> !series.isEmpty());
        failing.calls(1, 20, work -> work.run(0, NONE));
    }

    private static int server(String name, String... properties) {
        Instance server = Instance.server(properties);
        INSTANCES.put(name, server);
        return server.controlPort();
    }

    private static Instance client(String name, int port, String... properties) {
        Instance client = Instance.client(port, properties);
        INSTANCES.put(name, client);
        return client;
    }

    @AfterAll
    static void stop() {
        if (prometheus != null) {
            prometheus.close();
        }
        new ArrayList<>(INSTANCES.values()).reversed().forEach(Instance::close);
        INSTANCES.clear();
    }

    @ParameterizedTest(name = "{0} at {1}")
    @Order(1)
    @CsvSource({
        "RdmaSessionsMissing,   lonely",
        "RdmaSessionsMissing,   intruder",
        "RdmaCallsFail,         lonely",
        "RdmaCallsQueued,       queueing",
        "RdmaPortDown,          dead-port",
        "RdmaQueuePairFailures, dead-queue-pair",
        "RdmaRetransmissions,   lossy",
        "RdmaOverload,          overloaded",
        "RdmaSessionsRejected,  secured",
        "RdmaPollingThreadStuck, blocked",
        "RdmaMemoryNearLimit,   hoarding",
        "RdmaReadsQueued,       slow-reader",
        "RdmaReadTimeouts,      slow-reader",
    })
    void whenAnApplicationHasATroubleThenItsAlertFires(String alert, String instance) {
        Awaitility.await()
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(prometheus.query("max_over_time(ALERTS{alertstate=\"firing\"}[10m])"))
                        .as("alerts of %s", prometheus)
                        .anySatisfy(firing -> assertThat(firing)
                                .containsEntry("alertname", alert)
                                .containsEntry("instance", instance)));
    }

    @Test
    @Order(2)
    void whenAnApplicationIsHealthyThenNoAlertFires() throws IOException {
        assertThat(prometheus.query("max_over_time(ALERTS{instance=~\"healthy-.*\"}[10m])"))
                .isEmpty();
        assertThat(prometheus.query(
                        "rate(rdma_engine_calls_total{instance=\"healthy-client\", role=\"client\"}[10s]) > 0"))
                .isNotEmpty();
    }

    @Test
    @Order(2)
    void whenTheDashboardQueriesThenPrometheusReturnsSeries() {
        // On a busy machine single scrapes are late, and then a query has no current value.
        Awaitility.await().atMost(LIMIT).untilAsserted(() -> {
            List<String> withoutSeries = new ArrayList<>();
            for (String query : panelQueries()) {
                if (prometheus.query(query).isEmpty()) {
                    withoutSeries.add(query);
                }
            }
            // No instance opened remote memory.
            assertThat(withoutSeries).allMatch(query -> query.contains("rdma_remote_memory_"));
        });
    }

    /** Returns the queries of all panels with values for the dashboard's variables. */
    private static List<String> panelQueries() throws IOException {
        JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(Path.of("../config/grafana/rdma-rpc.json")));
        List<String> queries = new ArrayList<>();
        dashboard
                .path("panels")
                .forEach(panel -> panel.path("targets")
                        .forEach(target -> queries.add(target.path("expr")
                                .asString("")
                                .replace("$job", ".*")
                                .replace("$instance", ".*")
                                .replace("$__rate_interval", "10s"))));
        assertThat(queries).hasSizeGreaterThan(40);
        return queries.stream().distinct().toList();
    }
}
