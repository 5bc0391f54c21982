package io.rdmarpc.benchmarks.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * Short runs of each probe, with its second process if it has one. The test does not check the figures. It runs only on
 * Linux, because probes call {@code eventfd} and {@code sendmmsg}, which other systems lack.
 */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ProbesTest {

    @ParameterizedTest
    @CsvSource({
        "flag-ping-pong, us, 1000",
        "block-echo, MiB/s, 200",
        "ring, M/s, 100000",
        "datagram-ping-pong, us, 500",
        "datagram-stream, MiB/s, 5000",
        "mmsg-echo, M/s, 1600",
        "eventfd-wake-up, us, 20",
        "memcpy, MiB/s, 300"
    })
    @DisplayName("A probe prints one line: its name, a value and the unit")
    void shouldPrintOneLine(String name, String unit, String iterations) throws Exception {
        assertThat(run(name, "-n", iterations, "--runs", "3"))
                .matches(name + " \\d+\\.\\d{3} " + unit + " \\(\\d+\\.\\d{3} to \\d+\\.\\d{3} in 3 runs\\)");
    }

    @Test
    @DisplayName("A probe has a warm-up that does not count")
    void whenAWarmUpIsSetThenItRunsForThatTimeFirst() throws Exception {
        // Measures by the clock, because the warm-up is a duration. The lower limit holds on any machine.
        long start = System.nanoTime();
        String line = run("flag-ping-pong", "-n", "1000", "--runs", "2", "--warm-up", "1.5");

        assertThat(System.nanoTime() - start).isGreaterThan(1_500_000_000);
        assertThat(line).endsWith("in 2 runs)");
    }

    private static String run(String... words) throws Exception {
        StringWriter out = new StringWriter();
        CommandLine probes = new CommandLine(new Probes()).setOut(new PrintWriter(out, true));

        // A probe pins its thread to a CPU, which threads started later would inherit. So the probe has a thread that
        // ends.
        FutureTask<Integer> run = new FutureTask<>(() -> probes.execute(words));
        Thread.ofPlatform().start(run);

        assertThat(run.get()).isZero();
        return out.toString().strip();
    }
}
