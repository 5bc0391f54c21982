package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Very short pauses, which check that rows run, not their figures. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class FirstCallCommandTest {

    @TempDir
    private Path directory;

    private HarnessRun firstCall(String... words) {
        return HarnessRun.of(directory, "first-call", words);
    }

    @Test
    @DisplayName("A row has the time of the first call and its ratio to that of the first peer")
    @Tag("processes")
    void shouldPrintRows() throws IOException {
        HarnessRun run = firstCall("--idle", "0.1", "--rounds", "3", "--warm-up", "0.5", "KRYO_TCP", "SPRING_DEFAULTS");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.out()).contains("First call after 0.1 s without calls");
        assertThat(run.row("| SPRING_DEFAULTS: ")).matches(".*SPRING_DEFAULTS: \\d.* µs \\| KRYO_TCP: \\d.* µs .*");
        assertThat(CsvRow.read(directory.resolve("results.csv"))).hasSize(6);
    }

    @Test
    void whenAPeerDoesNotSupportThePayloadThenItIsRejected() {
        HarnessRun run = firstCall("ENGINE_BUFFERS");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).contains("ENGINE_BUFFERS does not carry --payload ORDER");
    }

    @Test
    void whenThereAreNoRoundsThenItIsRejected() {
        HarnessRun run = firstCall("--rounds", "0");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).contains("--rounds must be at least 1");
    }
}
