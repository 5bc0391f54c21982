package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.harness.CallsCommand.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Very short measurements, which check that rows run, not their figures. They run only on Linux, because the command
 * reads the load of other programs, a column of each row, from {@code /proc}.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class CallsCommandTest {

    @TempDir
    private Path directory;

    @Test
    @DisplayName("A row has the setting's number, the default's, and their ratio")
    void shouldPrintARow() throws IOException {
        HarnessRun run = HarnessRun.of(
                directory, "tuning", "--rounds", "1", "--seconds", "0.05", "--warm-up", "0.1", "--only", "batching");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.row("rdma.ud.batching"))
                .matches("\\| `rdma.ud.batching=false` \\| 32 B [^|]+, rate \\| [^|]+"
                        + " \\| [^|]+: \\d[^|]+ /s \\| [^|]+: \\d[^|]+ /s \\| \\d[^|]+ \\| \\d+ % \\|");
        assertThat(Files.readAllLines(directory.resolve("measurements.csv"))).hasSize(3);
        assertThat(Files.readAllLines(directory.resolve("results.csv"))).hasSize(2);
    }

    @Test
    void shouldGenerateTheSameReportFromTheFilesAgain() throws IOException {
        HarnessRun run = HarnessRun.of(
                directory, "tuning", "--rounds", "1", "--seconds", "0.05", "--warm-up", "0.1", "--only", "batching");
        String report = Files.readString(directory.resolve("report.md"));

        HarnessRun again = HarnessRun.report(directory);

        assertThat(again.status()).as(again.errors()).isZero();
        assertThat(again.out()).isEqualTo(run.out());
        assertThat(directory.resolve("report.md")).hasContent(report);
    }

    @Test
    void shouldReportTheEnvironmentOfTheNumbers() {
        HarnessRun run = HarnessRun.of(directory, "tuning", "--only", "none of them", "--commit", "abc");

        assertThat(run.out())
                .contains(
                        "- CPU: ",
                        "- Kernel: Linux",
                        "- JVM: ",
                        "- Commit: abc",
                        "- Load at ",
                        "- Rounds: 3, of 3.0 s");
    }

    @Test
    void shouldCompareTheSameFigureOfTwoDifferentNeeds() throws IOException {
        assertThat(CallsCommand.lines("settings.csv"))
                .isNotEmpty()
                .allMatch(line -> line.ours().metric().equals(line.peer().metric()))
                .allMatch(line -> line.needs().distinct().count() == 2)
                .extracting(Line::comparison)
                .extracting(Comparison::goal)
                .containsOnly("-");
    }
}
