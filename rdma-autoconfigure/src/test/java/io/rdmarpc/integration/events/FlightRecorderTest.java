package io.rdmarpc.integration.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** A client and a server in this process record into the same file. */
@Timeout(120)
@DisplayName("A recording of the Flight Recorder")
class FlightRecorderTest {

    private static String peer(ConfigurableApplicationContext server) {
        return "127.0.0.1:" + TestApplication.port(server);
    }

    private static ConfigurableApplicationContext recordedClient(
            ConfigurableApplicationContext server, String... properties) {
        return TestApplication.run(
                Recorded.Client.class,
                Stream.concat(Stream.of("rdma.client.targets.default.address=" + peer(server)), Stream.of(properties))
                        .toArray(String[]::new));
    }

    @Test
    void shouldHaveACallOfTheClient() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server);
                FlightRecording recording = FlightRecording.of("ClientCall")) {
            client.getBean(Orders.class).later("slow", 30).join();

            assertThat(recording.events("ClientCall")).singleElement().satisfies(call -> {
                assertThat(call.getString("service")).isEqualTo("test.Orders");
                assertThat(call.getString("method")).isEqualTo("later");
                assertThat(call.getString("target")).isEqualTo("default");
                assertThat(call.getString("peer")).isEqualTo(peer(server));
                assertThat(call.getString("status")).isEqualTo("OK");
                assertThat(call.getInt("attempts")).isOne();
                assertThat(call.getDuration().toMillis()).isBetween(30L, 20_000L);
                assertThat(call.getStackTrace()).isNull();
            });
        }
    }

    @Test
    void shouldHaveACallOfTheServer() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server);
                FlightRecording recording = FlightRecording.of("ServerCall")) {
            client.getBean(Orders.class).later("slow", 30).join();

            assertThat(recording.await(1, "ServerCall")).singleElement().satisfies(call -> {
                assertThat(call.getString("service")).isEqualTo("test.Orders");
                assertThat(call.getString("method")).isEqualTo("later");
                assertThat(call.getString("peer")).startsWith("127.0.0.1:");
                assertThat(call.getString("status")).isEqualTo("OK");
                assertThat(call.getDuration().toMillis()).isBetween(29L, 20_000L);
                assertThat(call.getStackTrace()).isNull();
            });
        }
    }

    @Test
    void whenACallWaitsForAThreadThenItsEventHasTheTime() {
        try (ConfigurableApplicationContext server = TestApplication.run(Recorded.Server.class);
                ConfigurableApplicationContext client = recordedClient(server);
                FlightRecording recording = FlightRecording.of("ServerCall")) {
            Recorded recorded = client.getBean(Recorded.class);
            Thread first = Thread.startVirtualThread(recorded::useOnlyThread);
            Thread second = Thread.startVirtualThread(recorded::useOnlyThread);
            Awaitility.await()
                    .until(() ->
                            !server.getBean(ThreadPoolExecutor.class).getQueue().isEmpty());
            long queued = System.nanoTime();
            Awaitility.await().until(() -> System.nanoTime() - queued > TimeUnit.MILLISECONDS.toNanos(20));
            server.getBean(Recorded.Server.class).free.countDown();

            List<RecordedEvent> calls = recording.await(2, "ServerCall");
            assertThat(calls)
                    .anySatisfy(call -> assertThat(call.getDuration("queued"))
                            .isBetween(Duration.ofMillis(20), Duration.ofSeconds(60)));
            Awaitility.await().until(() -> !first.isAlive() && !second.isAlive());
        }
    }

    @Test
    void whenACallFailsThenItsEventHasTheStatus() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server);
                FlightRecording recording = FlightRecording.of("ClientCall", "ServerCall")) {
            Orders orders = client.getBean(Orders.class);
            assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> orders.reject("no"));

            assertThat(recording.events("ClientCall")).singleElement().satisfies(call -> {
                assertThat(call.getString("status")).isEqualTo("HANDLER_FAILED");
                assertThat(call.getInt("attempts"))
                        .as("attempts of a call without retries")
                        .isOne();
            });
            assertThat(recording.await(1, "ServerCall"))
                    .extracting(call -> call.getString("status"))
                    .containsExactly("HANDLER_FAILED");
        }
    }

    @Test
    void whenACallIsRetriedThenItsEventHasTheAttempts() {
        try (ConfigurableApplicationContext server = TestApplication.run(Recorded.Server.class);
                ConfigurableApplicationContext client =
                        recordedClient(server, "rdma.client.retry.initial-interval=1ms");
                FlightRecording recording = FlightRecording.of("ClientCall", "ServerCall")) {
            assertThat(client.getBean(Recorded.class).answerAtRun(2)).isEqualTo(2);

            assertThat(recording.events("ClientCall"))
                    .singleElement()
                    .satisfies(call -> assertThat(call.getInt("attempts")).isEqualTo(2));
            assertThat(recording.await(2, "ServerCall"))
                    .extracting(call -> call.getString("status"))
                    .containsExactly("OVERLOADED", "OK");
        }
    }

    @Test
    void whenACallIsShorterThanTheDefaultThresholdThenItIsNotRecorded() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server);
                FlightRecording recording = FlightRecording.withDefaultThreshold("ClientCall")) {
            Orders orders = client.getBean(Orders.class);
            for (int i = 0; i < 200; i++) {
                orders.add(i, i);
            }
            orders.later("slow", 30).join();

            List<RecordedEvent> calls = recording.events("ClientCall");
            assertThat(calls)
                    .extracting(call -> call.getString("method"))
                    .as("a pause of the machine may make one of the short calls long")
                    .hasSizeLessThan(50)
                    .contains("later");
            assertThat(calls).allSatisfy(call -> assertThat(call.getDuration()).isGreaterThan(Duration.ofMillis(9)));
        }
    }

    @Test
    void whenARecordingDisablesAnEventThenItIsNotRecorded() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server);
                FlightRecording recording = FlightRecording.of("ServerCall").without("ClientCall", "Read")) {
            Orders orders = client.getBean(Orders.class);
            orders.later("slow", 30).join();
            orders.echo(new byte[2 << 20]);

            assertThat(recording.await(2, "ServerCall")).hasSize(2);
            assertThat(recording.events("ClientCall")).isEmpty();
            assertThat(recording.events("Read")).isEmpty();
        }
    }

    @Test
    void whenAMessageIsLargeThenItsReadIsRecorded() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server);
                FlightRecording recording = FlightRecording.of("Read")) {
            client.getBean(Orders.class).echo(new byte[2 << 20]);

            List<RecordedEvent> reads = recording.await(2, "Read");
            assertThat(reads).hasSize(2).allSatisfy(read -> {
                assertThat(read.getLong("size")).isBetween(2L << 20, (2L << 20) + 100);
                assertThat(read.getString("failure")).isNull();
                assertThat(read.getDuration()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(60));
            });
            assertThat(reads.getLast().getString("peer"))
                    .as("the client READs the response")
                    .isEqualTo(peer(server));
        }
    }

    @Test
    void whenElementsOfAStreamAreLostThenTheirRetransmissionsAreRecorded() {
        try (ConfigurableApplicationContext server = TestApplication.run(
                        TestApplication.Server.class,
                        "rdma.soft.shared-memory.enabled=false",
                        "rdma.soft.faults.script=drop 4-12 UD");
                ConfigurableApplicationContext client =
                        TestApplication.client(server, "rdma.soft.shared-memory.enabled=false");
                FlightRecording recording = FlightRecording.of("Retransmission")) {
            Iterator<byte[]> photos = client.getBean(Orders.class).photos(40, 1000);
            int number = 0;
            while (photos.hasNext()) {
                photos.next();
                number++;
            }

            assertThat(number).isEqualTo(40);
            assertThat(recording.events("Retransmission")).anySatisfy(sent -> {
                assertThat(sent.getString("message")).isEqualTo("stream element");
                assertThat(sent.getInt("sends")).isPositive();
                assertThat(sent.getDuration("timeout")).isPositive();
            });
        }
    }

    @Test
    void whenASessionOpensAndEndsThenBothAreRecorded() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                FlightRecording recording = FlightRecording.of("Session")) {
            ConfigurableApplicationContext client = TestApplication.client(server);
            client.getBean(Orders.class).add(1, 1);
            client.close();

            List<RecordedEvent> all = recording.await(4, "Session");
            List<RecordedEvent> ofClient = all.stream()
                    .filter(session -> session.getString("target").equals("default"))
                    .toList();
            assertThat(ofClient)
                    .extracting(session -> session.getString("change"))
                    .containsExactly("opened", "ended");
            assertThat(ofClient)
                    .extracting(session -> session.getString("peer"))
                    .containsOnly(peer(server));
            assertThat(ofClient.getFirst().getLong("session"))
                    .isEqualTo(ofClient.getLast().getLong("session"));
            assertThat(ofClient.getFirst().getString("reason")).isNull();
            assertThat(ofClient.getLast().getString("reason")).isEqualTo("the client is closing");
            assertThat(all.stream()
                            .filter(session -> session.getString("target").isEmpty()))
                    .as("of the server")
                    .extracting(session -> session.getString("change"))
                    .containsExactly("opened", "ended");
        }
    }

    @Test
    void whenAnInlineMethodBlocksThenEachStallIsRecorded() {
        try (ConfigurableApplicationContext server = TestApplication.run(Recorded.Server.class);
                ConfigurableApplicationContext client = recordedClient(server);
                FlightRecording recording = FlightRecording.withDefaultThreshold("EventLoopStall")) {
            Recorded recorded = client.getBean(Recorded.class);
            recorded.blockInline(60);
            recorded.blockInline(0);
            recorded.blockInline(30);

            Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
                List<RecordedEvent> stalls = recording.events("EventLoopStall");
                assertThat(stalls)
                        .anySatisfy(stall ->
                                assertThat(stall.getDuration().toMillis()).isBetween(60L, 20_000L));
                assertThat(stalls).hasSizeGreaterThan(1).allSatisfy(stall -> {
                    assertThat(stall.getInt("work")).isPositive();
                    assertThat(stall.getDuration()).isGreaterThan(Duration.ofMillis(9));
                });
            });
        }
    }
}
