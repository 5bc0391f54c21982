package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Very short measurements, which check that rows run, not their figures. They run only on Linux, because the processes
 * communicate over the software RNIC's shared memory.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class SessionsCommandTest {

    private static final int BORROWED = 256;
    private static final int FOR_LANES = 64;
    private static final int ENTRY_BYTES = 1024 + 64;

    @TempDir
    private Path directory;

    @Test
    void shouldCountTheRingsOfTheServerAndOfEachClient() throws IOException {
        HarnessRun run = HarnessRun.of(
                directory,
                "sessions",
                "--few",
                "3",
                "--many",
                "300",
                "--clients",
                "2",
                "--mtu",
                "1024",
                "--runs",
                "1",
                "--seconds",
                "0.05");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.row("echoes per second"))
                .containsPattern("\\| 300 sessions: [1-9]\\S* .* \\| 3 sessions: [1-9]");
        assertThat(CsvRow.read(directory.resolve("results.csv")))
                .filteredOn(row -> row.text("measure").startsWith("receive rings"))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.number("ours_value")).isEqualTo(rings(300));
                    assertThat(row.number("peer_value")).isEqualTo(rings(3));
                });
    }

    /**
     * Ring bytes of a server and two clients. Each has entries for borrowed credits and for the shared-memory channel.
     */
    private static double rings(int sessions) {
        int entries = sessions + sessions + 3 * (BORROWED + FOR_LANES);
        return Math.round(entries * (double) ENTRY_BYTES / (1 << 20) * 1e6) / 1e6;
    }

    @Test
    void whenAClientHasNoSessionThenItIsRejected() {
        HarnessRun run = HarnessRun.of(directory, "sessions", "--few", "2", "--clients", "3");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).startsWith("--clients is 3:").contains("--few 2");
    }
}
