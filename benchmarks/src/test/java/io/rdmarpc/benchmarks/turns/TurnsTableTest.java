package io.rdmarpc.benchmarks.turns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Turns for next to no time: that they run, not what they find. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class TurnsTableTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int table(String... words) {
        return new CommandLine(new TurnsTable())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute(words);
    }

    @Test
    @DisplayName("A row has a call's time and what part of the first's it is")
    void printsRows() {
        int status = table(
                "--seconds",
                "5",
                "--turn-millis",
                "100", // six batches have to end in one, also of calls that are not compiled yet
                "--warm-up",
                "3",
                "--near-ns",
                "1e9",
                "--commit",
                "abc",
                "ENGINE_BUFFERS",
                "AERON_IPC");

        assertThat(status).as(errors.toString()).isZero();
        assertThat(out.toString())
                .contains("- Commit: abc", "- Turns: 100 ms each for 5.0 s, 32 B, one caller")
                .containsPattern("near each other: \\d+ rounds in which a flag took \\d+ ns there and back")
                .containsPattern(
                        "\\| ENGINE_BUFFERS \\| \\d+ ns \\| \\d+\\.\\d+ \\[\\d\\.\\d+-\\d\\.\\d+] \\| \\d+\\.\\d+ \\|")
                .containsPattern("\\| AERON_IPC \\| \\d+ ns \\| \\d+\\.\\d+ \\[");
    }

    @Test
    void whenThereIsNoSuchPeerThenItSaysWhichThereAre() {
        assertThat(table("NOBODY")).isEqualTo(2);
        assertThat(errors.toString()).contains("there is no NOBODY: take some of [", "SPRING_INLINE");
    }

    @Test
    void whenThereIsNoSuchBuildThenItSaysWhatToCopy(@TempDir Path directory) {
        assertThat(table("SPRING_INLINE@" + directory)).isEqualTo(2);
        assertThat(errors.toString())
                .contains("no benchmarks.jar with its lib in " + directory, "copy both of them from benchmarks/target");
    }

    @Test
    void whenAPeerCannotCarryThePayloadThenItSaysSo() {
        assertThat(table("--payload", "ORDER", "ENGINE_BUFFERS")).isEqualTo(2);
        assertThat(errors.toString()).contains("ENGINE_BUFFERS does not carry --payload ORDER");
    }

    @Test
    void whenAProcessCannotStartThenItsOwnWordsAreTold(@TempDir Path directory) throws IOException {
        Files.createDirectory(directory.resolve("lib"));
        Files.createFile(directory.resolve("benchmarks.jar"));

        assertThat(table("ENGINE_BUFFERS@" + directory)).isEqualTo(1);
        assertThat(errors.toString())
                .contains("serve ENGINE_BUFFERS has ended. It said:", "io.rdmarpc.benchmarks.turns.TurnsProcess");
    }
}
