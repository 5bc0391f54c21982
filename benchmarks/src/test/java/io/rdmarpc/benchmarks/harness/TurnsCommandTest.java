package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

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
 * Very short turns, which check that rows run, not their figures. They run only on Linux, whose numbers of signals and
 * clock for all processes the command uses.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class TurnsCommandTest {

    @TempDir
    private Path directory;

    private HarnessRun turns(String... words) {
        return HarnessRun.of(directory, "turns", words);
    }

    @Test
    @DisplayName("A row has the time per call and its ratio to the first pair's time")
    void shouldPrintRows() {
        HarnessRun run = turns(
                "--seconds",
                "10",
                "--turn-millis",
                "300",
                "--batch",
                "1",
                "--warm-up",
                "3",
                "--near-ns",
                "1e9",
                "--commit",
                "abc",
                "ENGINE_BUFFERS",
                "AERON_IPC");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.out())
                .contains("- Commit: abc", "- Turns: 300 ms each for 10.0 s, 32 B, one caller")
                .containsPattern("CPUs .*: \\d+ rounds with a flag round trip of \\S+ ns");
        assertThat(run.row("| AERON_IPC: "))
                .matches("\\| 32 B, one caller \\| AERON_IPC: \\d[^|]+ ns"
                        + " \\| ENGINE_BUFFERS: \\d[^|]+ ns \\| \\d[^|]* \\[[^|]+] \\|");
        assertThat(run.row("| ENGINE_BUFFERS: ")).contains("| ENGINE_BUFFERS: ");
    }

    @Test
    @DisplayName("Calls of 1 MiB, of which few fit into a turn, have a time")
    void whenCallsAreLongThenABatchHasFewCalls() {
        HarnessRun run = turns(
                "--payload",
                "1 MiB",
                "--seconds",
                "8",
                "--turn-millis",
                "1500",
                "--warm-up",
                "2",
                "--near-ns",
                "1e9",
                "ENGINE_BUFFERS");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.row("1 MiB, one caller")).containsPattern("ENGINE_BUFFERS: \\d");
    }

    @Test
    void whenNoTurnIsLongEnoughThenItNamesTheOptions() {
        HarnessRun run = turns(
                "--batch", "1000000000", "--seconds", "1", "--warm-up", "1", "--near-ns", "1e9", "ENGINE_BUFFERS");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.errors())
                .contains("ENGINE_BUFFERS: too few calls of 32 B end in a turn of 25 ms", "--turn-millis", "--batch");
    }

    @Test
    void whenAPeerIsUnknownThenItListsThePeers() {
        HarnessRun run = turns("NOBODY");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).contains("unknown peer NOBODY: choose from [", "SPRING_INLINE");
    }

    @Test
    void whenABuildIsMissingThenItNamesTheFilesToCopy() {
        HarnessRun run = turns("SPRING_INLINE@" + directory);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors())
                .contains("no benchmarks.jar and lib in " + directory, "copy both from benchmarks/target");
    }

    @Test
    void whenAPeerDoesNotSupportThePayloadThenItIsRejected() {
        HarnessRun run = turns("--payload", "ORDER", "ENGINE_BUFFERS");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).contains("ENGINE_BUFFERS does not carry --payload ORDER");
    }

    @Test
    void whenAProcessCannotStartThenItsErrorsAreShown() throws IOException {
        Files.createDirectory(directory.resolve("lib"));
        Files.createFile(directory.resolve("benchmarks.jar"));

        HarnessRun run = turns("ENGINE_BUFFERS@" + directory);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.errors())
                .contains("serve ENGINE_BUFFERS\" ended. Its standard error was:")
                .contains("io.rdmarpc.benchmarks.turns.TurnsProcess");
    }
}
