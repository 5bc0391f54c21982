package io.rdmarpc.benchmarks.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.verbs.VerbsBenchmarks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A client that measures once per input line, as scripts use it. Runs only on Linux, because those scripts do. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class EchoOnDemandTest {

    private static ChildProcess start(String command, String... options) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("rpc", command, "--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0"));
        words.addAll(List.of(options));
        return ChildProcess.start(ChildProcess.jvm(
                List.of("--enable-native-access=ALL-UNNAMED"), VerbsBenchmarks.class.getName(), words));
    }

    @Test
    void shouldReportTheEndOfTheWarmUpAndMeasureForEachLine() throws IOException {
        try (ChildProcess server = start("echo-server");
                ChildProcess client = start(
                        "echo-client",
                        "--port",
                        server.line(),
                        "--measure",
                        "REQUEST",
                        "--warm-up",
                        "0.1",
                        "--seconds",
                        "0.1",
                        "--on-demand")) {
            assertThat(client.line()).isEqualTo(EchoMeasure.REQUEST.name());

            client.send("");
            assertThat(Double.parseDouble(client.line())).isPositive();
            client.send("");
            assertThat(Double.parseDouble(client.line())).isPositive();
        }
    }
}
