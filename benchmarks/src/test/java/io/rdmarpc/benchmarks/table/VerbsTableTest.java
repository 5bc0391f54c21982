package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Rows with next to no operations: that they run, not what they find. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class VerbsTableTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int table(String... words) {
        return new CommandLine(new VerbsTable())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UD 32 B ping-pong, shared memory",
                "RC READ 1 MiB, mapped",
                "RC WRITE 1 MiB, UDP by DatagramChannel",
                "wake-up by another thread"
            })
    @DisplayName("A row has our value, the probe's, their ratio and a verdict")
    void printsRow(String title) {
        int status = table("--runs", "1", "--share", "1000", "--only", title);

        assertThat(status).as(errors.toString()).isZero();
        assertThat(out.toString().strip().lines().reduce("", (before, line) -> line))
                .matches("\\| " + title + " \\| [-0-9. \\[\\]]+ \\S+ \\| [-a-z]+ [-0-9. \\[\\]]+ \\| [-0-9. \\[\\]]+"
                        + " \\| ratio [<>=]+ [0-9.]+ \\| (met|missed) \\| \\d+ % \\|");
    }

    @Test
    void shouldSayWhereTheNumbersComeFrom() {
        table("--only", "none of them", "--commit", "abc");

        assertThat(out.toString()).contains("- CPU: ", "- Kernel: Linux", "- JVM: ", "- Commit: abc", "- Load at ");
    }
}
