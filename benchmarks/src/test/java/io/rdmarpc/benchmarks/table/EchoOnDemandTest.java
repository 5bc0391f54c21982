package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.engine.EchoMeasure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A client that stays, as scripts use it. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class EchoOnDemandTest {

    private static BenchmarkProcess start(String command, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("rpc", command));
        words.addAll(BenchmarkProcess.ON_SOFTWARE_RNIC);
        words.addAll(List.of(options));
        return BenchmarkProcess.start(true, words);
    }

    @Test
    void shouldSayThatItIsWarmAndMeasureForEachLine() throws IOException {
        try (BenchmarkProcess server = start("echo-server");
                BenchmarkProcess client = start(
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

            client.order();
            assertThat(OneCommand.number(client.line(), 1)).isPositive();
            client.order();
            assertThat(OneCommand.number(client.line(), 1)).isPositive();
        }
    }
}
