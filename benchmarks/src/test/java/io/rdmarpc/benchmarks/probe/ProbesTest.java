package io.rdmarpc.benchmarks.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Each probe with a second process of its own where it has one, for a moment only: what it finds does not matter here. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
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
    void printsOneLine(String name, String unit, String iterations) throws Exception {
        StringWriter out = new StringWriter();
        CommandLine probes = new CommandLine(new Probes()).setOut(new PrintWriter(out, true));

        // A probe pins its thread to a CPU, and what that starts later would have no other: this one ends.
        FutureTask<Integer> run = new FutureTask<>(() -> probes.execute(name, "-n", iterations, "--runs", "3"));
        Thread.ofPlatform().start(run);

        assertThat(run.get()).isZero();
        assertThat(out.toString().strip())
                .matches(name + " \\d+\\.\\d{3} " + unit + " \\(\\d+\\.\\d{3} to \\d+\\.\\d{3} in 3 runs\\)");
    }
}
