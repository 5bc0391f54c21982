package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.load.Schedule;
import io.rdmarpc.demo.live.load.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP interface of the page's server, without a browser. */
@Timeout(120)
class LiveApplicationTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final int RDMA = 0;
    private static final int GRPC = 1;
    private static final int HTTP = 2;
    private static LiveApplication application;

    @BeforeAll
    static void start() {
        application = new LiveApplication();
    }

    @AfterAll
    static void close() {
        application.close();
    }

    private static HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(application.url() + path))
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .header("Content-Type", "application/json")
                        .build(),
                BodyHandlers.ofString());
    }

    private static void apply(Workload workload, Schedule schedule, double loss)
            throws IOException, InterruptedException {
        LoadSettings settings = new LoadSettings(workload, schedule, 2, 100, loss);
        assertThat(send("PUT", "/api/settings", JSON.writeValueAsString(settings))
                        .statusCode())
                .isEqualTo(204);
    }

    /** Returns the first snapshot of the feed that satisfies the condition. */
    private static JsonNode awaitSnapshot(Predicate<JsonNode> wanted) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(application.url() + "/api/feed"))
                .build();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                CLIENT.send(request, BodyHandlers.ofInputStream()).body(), StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> line.startsWith("data: {"))
                    .map(line -> JSON.readTree(line.substring("data: ".length())))
                    .filter(wanted)
                    .findFirst()
                    .orElseThrow();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static JsonNode lane(JsonNode snapshot, int index) {
        return snapshot.get("lanes").get(index);
    }

    /** Returns whether the lane completed calls in the last interval. */
    private static boolean isAnswered(JsonNode snapshot, int lane) {
        return lane(snapshot, lane).get("now").get("calls").asLong() > 0;
    }

    private static boolean isFor(JsonNode snapshot, Workload workload) {
        return isIn(snapshot, "RUNNING", workload);
    }

    private static boolean isIn(JsonNode snapshot, String phase, Workload workload) {
        return snapshot.get("phase").asString().equals(phase)
                && snapshot.get("settings").get("workload").asString().equals(workload.name());
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void shouldMakeEveryKindOfCallOverEachTransport(Workload workload) throws IOException, InterruptedException {
        apply(workload, Schedule.TURNS, 0);

        JsonNode snapshot = awaitSnapshot(each ->
                isFor(each, workload) && isAnswered(each, RDMA) && isAnswered(each, GRPC) && isAnswered(each, HTTP));

        for (JsonNode lane : snapshot.get("lanes")) {
            assertThat(lane.get("failures").asLong()).as(lane.toString()).isZero();
            assertThat(lane.get("recent").get("p50").asDouble()).isPositive();
            assertThat(lane.get("bytesPerCall").asDouble()).isPositive();
        }
        assertThat(snapshot.get("problem").isNull()).as(snapshot.toString()).isTrue();
    }

    @Test
    void whenOnlyGrpcWorksThenTheOthersMakeNoCalls() throws IOException, InterruptedException {
        apply(Workload.PLACE, Schedule.GRPC, 0);

        JsonNode snapshot = awaitSnapshot(each -> isFor(each, Workload.PLACE)
                && each.get("settings").get("schedule").asString().equals("GRPC")
                && isAnswered(each, GRPC));

        assertThat(lane(snapshot, RDMA).get("calls").asLong()).isZero();
        assertThat(lane(snapshot, HTTP).get("calls").asLong()).isZero();
        assertThat(lane(snapshot, GRPC).get("cpuMicrosPerCall").asDouble()).isPositive();
    }

    @Test
    void whenSettingsChangeThenMeasurementsBeginAfterAWarmUp() throws IOException, InterruptedException {
        apply(Workload.AMEND, Schedule.TURNS, 0);

        AtomicReference<JsonNode> warming = new AtomicReference<>();
        JsonNode running = awaitSnapshot(each -> {
            if (isIn(each, "WARMING_UP", Workload.AMEND) && isAnswered(each, HTTP)) {
                warming.set(each);
            }
            return warming.get() != null && isIn(each, "RUNNING", Workload.AMEND);
        });

        assertThat(warming.get().get("warmUp").get("limitSeconds").asLong()).isEqualTo(LiveApplication.WARM_UP_SECONDS);
        assertThat(running.get("warmUp").isNull()).isTrue();
        // The first interval of the measurement counts only its own calls.
        assertThat(lane(running, HTTP).get("calls").asLong())
                .isEqualTo(lane(running, HTTP).get("now").get("calls").asLong());
    }

    @Test
    void shouldDescribeTheSetupAndWhatItDoesNotMeasure() throws IOException, InterruptedException {
        apply(Workload.PLACE, Schedule.TURNS, 0);

        JsonNode snapshot = awaitSnapshot(each -> isFor(each, Workload.PLACE));

        assertThat(snapshot.get("setup").asString())
                .matches("software RNIC soft0 over (shared memory|UDP), one host, \\d+ CPUs?");
        assertThat(snapshot.get("notes").valueStream().map(JsonNode::asString))
                .contains("Software RNIC on one host: no network is measured.");
    }

    @Test
    void whenPacketsAreLostThenRequestsAreRetransmittedAndSucceed() throws IOException, InterruptedException {
        apply(Workload.PLACE, Schedule.RDMA, 5);

        JsonNode snapshot = awaitSnapshot(each -> each.get("rdma").hasNonNull("link")
                && each.get("rdma").get("link").asString().equals("UDP")
                && each.get("rdma").get("retransmissions").asLong() > 0
                && isAnswered(each, RDMA));

        assertThat(lane(snapshot, RDMA).get("failures").asLong()).isZero();
    }

    @Test
    void shouldTraceACallThroughAllStages() throws IOException, InterruptedException {
        apply(Workload.PLACE, Schedule.TURNS, 0);

        JsonNode calls = JSON.readTree(send("POST", "/api/trace", "").body());

        assertThat(calls).hasSize(2);
        assertThat(stages(calls.get(0)))
                .containsExactly("SERIALIZE", "QUEUE", "THERE", "DISPATCH", "METHOD", "ANSWER", "BACK", "WAKE", "READ");
        assertThat(stages(calls.get(1)))
                .containsExactly("SERIALIZE", "THERE", "DISPATCH", "METHOD", "ANSWER", "BACK", "READ");
        assertThat(calls.get(0).get("totalMicros").asDouble()).isPositive();
    }

    private static List<String> stages(JsonNode call) {
        assertThat(call.get("failure").isNull()).as(call.toString()).isTrue();
        return call.get("stages")
                .valueStream()
                .map(stage -> stage.get("stage").asString())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"workload\":\"PLACE\",\"schedule\":\"TURNS\",\"callers\":0,\"payloadBytes\":0,\"lossPercent\":0}",
                "{\"workload\":\"PLACE\",\"schedule\":\"TURNS\",\"callers\":1,\"payloadBytes\":2000000,\"lossPercent\":0}",
                "{\"workload\":\"PLACE\",\"schedule\":\"TURNS\",\"callers\":1,\"payloadBytes\":0,\"lossPercent\":99}",
                "{\"workload\":\"DANCE\",\"schedule\":\"TURNS\",\"callers\":1,\"payloadBytes\":0,\"lossPercent\":0}",
            })
    void whenSettingsAreInvalidThenTheyAreRejected(String body) throws IOException, InterruptedException {
        LoadSettings before = application.settings();

        HttpResponse<String> response = send("PUT", "/api/settings", body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(response.body()).get("detail").asString()).isNotBlank();
        assertThat(application.settings()).isEqualTo(before);
    }

    @Test
    void whenTheLoadIsStoppedThenNothingIsCalled() throws IOException, InterruptedException {
        send("POST", "/api/stop", "");
        JsonNode stopped = awaitSnapshot(each -> each.get("phase").asString().equals("STOPPED"));
        long calls = lane(stopped, RDMA).get("calls").asLong();

        long later = lane(
                        awaitSnapshot(each ->
                                each.get("at").asLong() > stopped.get("at").asLong()),
                        0)
                .get("calls")
                .asLong();

        assertThat(later).isEqualTo(calls);
        send("POST", "/api/start", "");
        awaitSnapshot(each -> each.get("phase").asString().equals("RUNNING"));
    }

    @Test
    void whenMeasurementsAreResetThenCountsStartAtZero() throws IOException, InterruptedException {
        apply(Workload.PLACE, Schedule.TURNS, 0);
        awaitSnapshot(each -> isFor(each, Workload.PLACE) && isAnswered(each, RDMA));
        send("POST", "/api/stop", "");
        JsonNode stopped = awaitSnapshot(each -> each.get("phase").asString().equals("STOPPED"));

        send("POST", "/api/reset", "");
        JsonNode reset = awaitSnapshot(each -> lane(each, RDMA).get("calls").asLong() == 0);

        assertThat(lane(stopped, RDMA).get("calls").asLong()).isPositive();
        assertThat(lane(reset, HTTP).get("calls").asLong()).isZero();
        send("POST", "/api/start", "");
        awaitSnapshot(each -> each.get("phase").asString().equals("RUNNING"));
    }
}
