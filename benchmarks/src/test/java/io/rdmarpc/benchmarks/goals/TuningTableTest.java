package io.rdmarpc.benchmarks.goals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import picocli.CommandLine;

/** A row of next to no time: that it runs, not what it finds. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class TuningTableTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private void table(String... words) {
        int status = new CommandLine(new TuningTable())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute(words);
        assertThat(status).as(errors.toString()).isZero();
    }

    @Test
    @DisplayName("A row has the default's number, the setting's, and their ratio")
    void printsRow() {
        table("--rounds", "1", "--seconds", "0.05", "--warm-up", "0.1", "--only", "bundling");

        assertThat(out.toString().strip().lines().reduce("", (before, line) -> line))
                .as(errors.toString())
                .matches("\\| `rdma.ud.bundling=false` \\| 32 B [^|]+, rate"
                        + " \\| \\d[^|]+ /s \\| \\d[^|]+ /s \\| \\d[^|]+ \\| \\d+ % \\|");
    }

    @Test
    void shouldSayWhereTheNumbersComeFrom() {
        table("--only", "none of them", "--commit", "abc");

        assertThat(out.toString())
                .contains("- CPU: ", "- Commit: abc", "- Rounds: 3, of 3.0 s each")
                .endsWith(Effect.HEADER + System.lineSeparator());
    }
}
