package io.rdmarpc.integration.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("processes")
@Timeout(60)
@DisplayName("The alerts' rules fire and stop at the times that their tests state")
class AlertRulesTest {

    private static final Path RULES = Path.of("../config/prometheus");

    private static void promtool(String... arguments) throws IOException, InterruptedException {
        String program = PrometheusServer.program("promtool").toString();
        Process process = new ProcessBuilder(
                        Stream.concat(Stream.of(program), Stream.of(arguments)).toList())
                .directory(RULES.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }

    @Test
    void shouldBeValidSettings() throws Exception {
        promtool("check", "config", "--syntax-only", "prometheus.yml");
        promtool("check", "rules", "alerts.yml");
    }

    @Test
    void whenSeriesReachALimitThenTheAlertFires() throws Exception {
        promtool("test", "rules", "alerts-test.yml");
    }
}
