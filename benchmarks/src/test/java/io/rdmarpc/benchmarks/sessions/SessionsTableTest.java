package io.rdmarpc.benchmarks.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import picocli.CommandLine;

/** Runs of next to no time: that they run, not what they find. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class SessionsTableTest {

    private static final int BORROWED = 256;
    private static final int FOR_LANES = 64;
    private static final int ENTRY_BYTES = 1024 + 64;

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int run(String... words) {
        return new CommandLine(new SessionsTable())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute(words);
    }

    @Test
    void shouldCountTheRingsOfTheServerAndOfEachClient() {
        int status = run(
                "--few", "3", "--many", "300", "--clients", "2", "--mtu", "1024", "--runs", "1", "--seconds", "0.05");

        assertThat(status).as(errors.toString()).isZero();
        assertThat(out.toString())
                .containsPattern(
                        "echoes a second, 128 outstanding, evenly spread \\| [1-9][0-9,]* \\| [1-9][0-9,]* \\|")
                .contains("receive rings of the server and all clients, MiB | " + rings(3) + " | " + rings(300)
                        + " | <= 64 |");
    }

    /** Of a server and two clients, which have some entries to borrow each, and some for what comes by lanes. */
    private static String rings(int sessions) {
        int entries = sessions + sessions + 3 * (BORROWED + FOR_LANES);
        return String.format(java.util.Locale.ROOT, "%.1f", entries * (double) ENTRY_BYTES / (1 << 20));
    }

    @Test
    void shouldShareUnevenNumbersAsEvenlyAsItGoes() {
        SessionsRun run = new SessionsRun(4, 1024, 128, 1);

        assertThat(new int[] {run.share(10, 0), run.share(10, 1), run.share(10, 2), run.share(10, 3)})
                .containsExactly(3, 3, 2, 2);
    }

    @Test
    void whenAClientWouldHaveNoSessionThenItIsRefused() {
        assertThat(run("--few", "2", "--clients", "3")).isEqualTo(2);
        assertThat(errors.toString()).startsWith("--clients 3:").contains("--few 2");
    }
}
