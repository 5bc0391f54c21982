package io.rdmarpc.docs.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.TestApplication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Follows docs/how-to/record-with-jfr.md, with client and server in one process. */
@Timeout(120)
@DisplayName("The investigation of record-with-jfr.md finds the cause of slow calls")
class SlowCallsTest {

    @TempDir
    Path directory;

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    private static boolean overlap(RecordedEvent one, RecordedEvent other) {
        return one.getStartTime().isBefore(other.getEndTime())
                && other.getStartTime().isBefore(one.getEndTime());
    }

    private static List<String> methods(RecordedEvent event) {
        return event.getStackTrace().getFrames().stream()
                .map(frame -> frame.getMethod().getType().getName() + "."
                        + frame.getMethod().getName())
                .toList();
    }

    @Test
    void whenAnInlineMethodWaitsForALockThenAStallAndTheStackTraceShowIt() throws Exception {
        Path file = directory.resolve("shop.jfr");
        try (ConfigurableApplicationContext server = TestApplication.run(ShopServer.class);
                ConfigurableApplicationContext client = TestApplication.run(
                        ShopClient.class,
                        "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server));
                Recording recording = new Recording()) {
            recording.enable("io.rdmarpc.ClientCall");
            recording.enable("io.rdmarpc.ServerCall");
            recording.enable("io.rdmarpc.EventLoopStall");
            recording.enable("jdk.JavaMonitorEnter").withThreshold(Duration.ofMillis(20));
            recording.start();
            ShopClient.call(client, Duration.ofSeconds(3));
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);

        // A busy machine stalls a thread as well, so not each stall needs a lock.
        List<RecordedEvent> stalls = named(events, "io.rdmarpc.EventLoopStall");
        List<RecordedEvent> locks = named(events, "jdk.JavaMonitorEnter").stream()
                .filter(lock -> methods(lock).contains(PriceList.class.getName() + ".find"))
                .toList();
        assertThat(stalls)
                .anySatisfy(stall -> assertThat(locks).anySatisfy(lock -> {
                    assertThat(lock.getThread().getJavaName())
                            .isEqualTo(stall.getThread().getJavaName());
                    assertThat(overlap(lock, stall)).isTrue();
                }));
        assertThat(named(events, "io.rdmarpc.ClientCall"))
                .as("slow calls of another method, during a stall")
                .anySatisfy(call -> {
                    assertThat(call.getString("method")).isEqualTo("place");
                    assertThat(stalls).anyMatch(stall -> overlap(call, stall));
                });
        assertThat(named(events, "io.rdmarpc.ServerCall"))
                .as("slow at the server")
                .anySatisfy(call -> assertThat(call.getString("method")).isEqualTo("find"));
    }
}
