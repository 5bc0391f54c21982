package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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
class ProfileCommandTest {

    @TempDir
    private Path directory;

    /** Runs only on Linux, where the JDK can sample CPU time. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldCoverBothProcessesAndKeepTheRecordings() {
        HarnessRun run = HarnessRun.of(directory, "profile", "echo", "--seconds", "1", "--warm-up", "0.2");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(directory.resolve("echo-engine-message-buffers-1-client.jfr"))
                .isNotEmptyFile();
        assertThat(directory.resolve("echo-engine-message-buffers-1-server.jfr"))
                .isNotEmptyFile();
        assertThat(run.out()).contains("## client", "## server", "| rdma-poll-");
        assertThat(run.out().split("CPU time samples", -1)).hasSize(3);
    }
}
