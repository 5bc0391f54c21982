package io.rdmarpc.integration.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.yaml.snakeyaml.Yaml;

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

    @Test
    void whenThereIsAnAlertThenItHasATest() throws IOException {
        Set<Object> tested = list("alerts-test.yml", "tests", "alert_rule_test").stream()
                .map(test -> test.get("alertname"))
                .collect(Collectors.toSet());
        Set<Object> alerts = list("alerts.yml", "groups", "rules").stream()
                .map(rule -> rule.get("alert"))
                .collect(Collectors.toSet());

        assertThat(alerts).isNotEmpty().isEqualTo(tested);
    }

    private static List<Map<String, Object>> list(String file, String outer, String inner) throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> content =
                new Yaml().load(Files.readString(RULES.resolve(file)));
        return content.get(outer).stream()
                .flatMap(group -> group.get(inner).stream())
                .toList();
    }
}
