package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Measurements with very few operations, which check that rows run, not their figures. They run only on Linux, because
 * the bare programs and the software RNIC's shared memory need it.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ProgramsCommandTest {

    @TempDir
    private Path directory;

    private String row(String command, String measure) {
        HarnessRun run =
                HarnessRun.of(directory, command, "--runs", "1", "--share", "1000", "--only", "^" + measure + "$");

        assertThat(run.status()).as(run.errors()).isZero();
        return run.row(measure);
    }

    @ParameterizedTest
    @CsvSource({
        "verbs, 'UD 32 B ping-pong, shared memory'",
        "verbs, 'RC READ 1 MiB, mapped'",
        "verbs, 'RC WRITE 1 MiB, UDP by DatagramChannel'",
        "verbs, wake-up by another thread",
        "engine, '32 B echo, one outstanding, half a round trip'",
        "memory, '1 MiB READs, 16 outstanding, each started by the end of another, UDP'"
    })
    @DisplayName("A row has this project's figure, the bare program's figure, their ratio and a verdict")
    void shouldPrintARowWithAPeer(String command, String measure) {
        assertThat(row(command, measure))
                .matches("\\| " + measure
                        + " \\| [-0-9. \\[\\]k]+ \\S+ \\| [-a-z]+: [-0-9. \\[\\]k]+ \\S+ \\| [-0-9. \\[\\]k]+"
                        + " \\| ratio [<>=]+ [0-9.]+ \\| (met|missed) \\| \\d+ % \\|");
    }

    @ParameterizedTest
    @CsvSource({
        "verbs, CPU of an idle process with an RPC server, < 1.0 %",
        "engine, '32 B echo, 128 outstanding, one thread', >= 2.0 M/s"
    })
    @DisplayName("A row without a bare program has this project's figure and a verdict")
    void shouldPrintARowWithoutAPeer(String command, String measure, String goal) throws IOException {
        assertThat(row(command, measure))
                .matches("\\| " + measure + " \\| [-0-9. \\[\\]k]+ [^|]+ \\| " + goal
                        + " \\| (met|missed) \\| \\d+ % \\|");
        assertThat(CsvRow.read(directory.resolve("results.csv"))).hasSize(1);
    }
}
