package io.rdmarpc.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A profile")
@Timeout(120)
@Tag("processes")
class ProfileTest {

    @TempDir
    private Path directory;

    @Test
    @EnabledOnOs(OS.LINUX)
    void isOfBothProcessesAndKeepsTheRecordings() throws IOException {
        int status = Commands.run(
                new Profile(), "echo", "--seconds", "1", "--warm-up", "0.2", "--out", directory.toString());

        assertThat(status).isZero();
        assertThat(directory.resolve("echo-engine-message-buffers-1-client.jfr"))
                .isNotEmptyFile();
        assertThat(directory.resolve("echo-engine-message-buffers-1-server.jfr"))
                .isNotEmptyFile();
        String report = Files.readString(directory.resolve("echo-engine-message-buffers-1.md"));
        assertThat(report).contains("## Client", "## Server", "| rdma-poll-");
        assertThat(report.split("samples of processor time", -1)).hasSize(3);
    }

    @Test
    void countsAMethodThatCallsItselfOnce() {
        TopFrames frames = new TopFrames();
        frames.take("caller", List.of("Inner.work", "Outer.call", "Outer.call"));
        frames.take("caller", List.of("Outer.call"));

        assertThat(frames.markdown())
                .contains("2 samples")
                .contains("| Inner.work | 50.0 % | 50.0 % |")
                .contains("| Outer.call | 50.0 % | 100.0 % |")
                .contains("| Outer.call | 100.0 % | 50.0 % |");
    }

    @Test
    void whenThereIsNoSampleThenSaysWhatIsNeeded() {
        assertThat(new TopFrames().markdown()).contains("JDK 25");
    }
}
