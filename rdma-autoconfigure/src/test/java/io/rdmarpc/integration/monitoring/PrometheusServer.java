package io.rdmarpc.integration.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.integration.app.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A Prometheus process with the settings and rules of {@code config/prometheus}. It scrapes applications of this host
 * every second. In the rules, minutes of ranges become seconds, and each {@code for} is one second.
 */
final class PrometheusServer implements AutoCloseable {

    private static final Path CONFIG = Path.of("../config/prometheus");
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(20);

    private final Process process;
    private final Path log;
    private final URI root;
    private final HttpClient http = HttpClient.newHttpClient();

    private PrometheusServer(Process process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.root = URI.create("http://127.0.0.1:" + port);
    }

    /**
     * Finds a program of the Prometheus project, such as {@code promtool}. Skips the test if there is none, because a
     * build must not require it. If {@code PROMETHEUS} names a directory, the program must be there.
     */
    static Path program(String name) {
        String chosen = System.getenv("PROMETHEUS");
        if (chosen != null && !chosen.isEmpty()) {
            Path promised = Path.of(chosen, name);
            assertThat(promised).as("program in the directory PROMETHEUS").isExecutable();
            return promised;
        }
        Optional<Path> found = Stream.of(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(found.isPresent(), name + " not found: run config/prometheus/prepare --install");
        return found.get();
    }

    /** Starts a server that scrapes these applications, ports by name. The name becomes the label {@code instance}. */
    static PrometheusServer start(Path directory, Map<String, Integer> applications) throws IOException {
        Path program = program("prometheus");
        Files.writeString(directory.resolve("prometheus.yml"), new Yaml().dump(settings(applications)));
        Files.writeString(directory.resolve("alerts.yml"), accelerated(Files.readString(CONFIG.resolve("alerts.yml"))));
        int port = FreePort.find();
        Path log = directory.resolve("prometheus.log");
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--config.file=" + directory.resolve("prometheus.yml"),
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        PrometheusServer server = new PrometheusServer(process, log, port);
        try {
            Awaitility.await()
                    .atMost(START_LIMIT)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(server::isReady);
        } catch (RuntimeException e) {
            server.close();
            throw new AssertionError("Prometheus did not start: " + Files.readString(log), e);
        }
        return server;
    }

    private static Map<String, Object> settings(Map<String, Integer> applications) throws IOException {
        Map<String, Object> settings = new Yaml().load(Files.readString(CONFIG.resolve("prometheus.yml")));
        settings.put("global", Map.of("scrape_interval", "1s", "evaluation_interval", "1s"));
        List<Map<String, Object>> targets = new ArrayList<>();
        applications.forEach((name, port) ->
                targets.add(Map.of("targets", List.of("127.0.0.1:" + port), "labels", Map.of("instance", name))));
        @SuppressWarnings("unchecked")
        List<Map<String, Object>> jobs = (List<Map<String, Object>>) settings.get("scrape_configs");
        jobs.getFirst().put("static_configs", targets);
        return settings;
    }

    private static String accelerated(String rules) {
        return rules.replaceAll("\\[(\\d+)m]", "[$1s]").replaceAll("(?m)^( *for:) .*", "$1 1s");
    }

    private boolean isReady() throws IOException {
        assertThat(process.isAlive()).isTrue();
        return get("/-/ready").statusCode() == 200;
    }

    private HttpResponse<String> get(String path) throws IOException {
        try {
            HttpRequest request = HttpRequest.newBuilder(root.resolve(path))
                    .timeout(REQUEST_LIMIT)
                    .build();
            return http.send(request, BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Returns the labels of each series that a query results in. */
    List<Map<String, String>> query(String expression) throws IOException {
        HttpResponse<String> response =
                get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        assertThat(response.statusCode())
                .as("%s: %s", expression, response.body())
                .isEqualTo(200);
        List<Map<String, String>> series = new ArrayList<>();
        JsonNode result =
                JsonMapper.shared().readTree(response.body()).path("data").path("result");
        result.forEach(each -> series.add(JsonMapper.shared().convertValue(each.path("metric"), new StringMap())));
        return series;
    }

    private static final class StringMap extends tools.jackson.core.type.TypeReference<Map<String, String>> {}

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().onExit().join();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        http.close();
    }

    @Override
    public String toString() {
        return "Prometheus at " + root + " with its log in " + log;
    }
}
