package io.rdmarpc.integration.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.JdkProgram;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.app.TestApplication;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Recordings of other JVMs, by the commands that docs/how-to/record-with-jfr.md has. */
@Timeout(180)
@Tag("processes")
@DisplayName("The Flight Recorder of another process")
class FlightRecorderProcessesTest {

    @TempDir
    Path directory;

    @Test
    void whenAClientRecordsFromItsStartThenItsFileHasItsCallsAndSessions() throws Exception {
        Path file = directory.resolve("client.jfr");
        try (ServerProcess server = ServerProcess.start(TestApplication.Server.class)) {
            String _ = JdkProgram.run(
                    "java",
                    List.of(
                            "-XX:StartFlightRecording:filename=" + file,
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            RecordedClient.class.getName(),
                            "rdma.client.targets.default.address=" + server.address()));

            assertThat(FlightRecording.read(file, "ClientCall")).anySatisfy(call -> {
                assertThat(call.getString("service")).isEqualTo("test.Orders");
                assertThat(call.getString("method")).isEqualTo("later");
                assertThat(call.getString("peer")).isEqualTo(server.address());
                assertThat(call.getString("status")).isEqualTo("OK");
                assertThat(call.getDuration().toMillis()).isBetween(50L, 60_000L);
            });
            assertThat(FlightRecording.read(file, "Session"))
                    .extracting(session -> session.getString("change"))
                    .containsExactly("opened", "ended");
            assertThat(JdkProgram.run("jfr", List.of("print", "--events", "ClientCall", file.toString())))
                    .contains("io.rdmarpc.ClientCall {", "method = \"later\"", "status = \"OK\"");
        }
    }

    @Test
    void whenARunningServerIsRecordedThenItsFileHasAllCallsFromThenOn() throws Exception {
        Path file = directory.resolve("server.jfr");
        try (ServerProcess server = ServerProcess.start(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.run(
                        TestApplication.Client.class,
                        "rdma.client.targets.default.address=" + server.address(),
                        "rdma.client.timeout=20s")) {
            Orders orders = client.getBean(Orders.class);
            orders.placeOne("before");
            String pid = Long.toString(server.pid());
            String _ = JdkProgram.run(
                    "jcmd", List.of(pid, "JFR.start", "name=calls", "+io.rdmarpc.ServerCall#threshold=0ms"));
            orders.add(1, 1);
            orders.add(2, 2);
            orders.later("slow", 30).join();
            String _ = JdkProgram.run("jcmd", List.of(pid, "JFR.stop", "name=calls", "filename=" + file));
            orders.placeOne("after");

            assertThat(FlightRecording.read(file, "ServerCall"))
                    .extracting(call -> call.getString("method"))
                    .containsExactly("add", "add", "later");
        }
    }
}
