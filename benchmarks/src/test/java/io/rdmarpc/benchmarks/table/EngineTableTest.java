package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Rows of next to no time: that they run, not what they find. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class EngineTableTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @ParameterizedTest
    @CsvSource({
        "'32 B echo, one outstanding, half a round trip', ratio <= 4.0",
        "'32 B echo, 128 outstanding, one thread', >= 2.0 M/s"
    })
    @DisplayName("A row has our value, the probe's if there is one, and a verdict")
    void printsRow(String title, String goal) {
        int status = new CommandLine(new EngineTable())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute("--runs", "1", "--share", "1000", "--only", title);

        assertThat(status).as(errors.toString()).isZero();
        assertThat(out.toString().strip().lines().reduce("", (before, line) -> line))
                .matches(
                        "\\| " + title + " \\| [-0-9. \\[\\]]+ \\S+ \\| [-a-z]+[-0-9. \\[\\]]* \\| [-0-9. \\[\\]]+ \\| "
                                + goal + " \\| (met|missed) \\| \\d+ % \\|");
    }
}
