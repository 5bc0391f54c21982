package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.service.observation.RdmaMeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
@DisplayName("Dashboard and alerts use series that an application exports to Prometheus")
class MonitoringTest {

    private static final Path CONFIG = Path.of("../config");
    /** Labels that Prometheus itself adds. */
    private static final Set<String> ADDED = Set.of("job", "instance");

    private static final Pattern LEGEND = Pattern.compile("\\{\\{ *(?:\\$labels\\.)?(\\w+) *}}");

    private static ScrapedMeters scraped;

    @BeforeAll
    static void scrape() {
        scraped = ScrapedMeters.scrape();
    }

    private static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(CONFIG.resolve("grafana/rdma-rpc.json")));
    }

    private static List<JsonNode> targets() throws IOException {
        List<JsonNode> targets = new ArrayList<>();
        dashboard().path("panels").forEach(panel -> panel.path("targets").forEach(targets::add));
        return targets;
    }

    private static List<PromQuery> panelQueries() throws IOException {
        return targets().stream()
                .map(target -> new PromQuery(target.path("expr").asString("")))
                .toList();
    }

    private static List<Map<String, Object>> rules() throws IOException {
        return entries("alerts.yml", "groups", "rules");
    }

    private static List<Map<String, Object>> entries(String name, String groups, String entries) throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(CONFIG.resolve("prometheus").resolve(name)));
        return file.get(groups).stream()
                .flatMap(group -> group.get(entries).stream())
                .toList();
    }

    private static List<PromQuery> alertQueries() throws IOException {
        return rules().stream()
                .map(rule -> new PromQuery((String) rule.get("expr")))
                .toList();
    }

    private static List<PromQuery> queries() throws IOException {
        return Stream.concat(panelQueries().stream(), alertQueries().stream()).toList();
    }

    @Test
    void whenAQueryNamesASeriesThenItIsScraped() throws IOException {
        assertThat(queries())
                .hasSizeGreaterThan(50)
                .allSatisfy(query -> assertThat(query.selectors())
                        .isNotEmpty()
                        .allSatisfy(selector -> assertThat(scraped.names()).contains(selector.series())));
    }

    @Test
    void whenAQueryNamesALabelThenTheSeriesHasItWithThatValue() throws IOException {
        for (PromQuery query : queries()) {
            for (PromQuery.Selector selector : query.selectors()) {
                Map<String, Set<String>> labels = scraped.labels().get(selector.series());
                Set<String> known = new HashSet<>(labels.keySet());
                known.addAll(ADDED);
                assertThat(known).as(query.text()).containsAll(query.groupedBy());
                for (PromQuery.Condition condition : selector.conditions()) {
                    assertThat(known).as(query.text()).contains(condition.label());
                    assertThat(labels.getOrDefault(condition.label(), Set.of()))
                            .as(query.text())
                            .containsAll(condition.values());
                }
            }
        }
    }

    @Test
    void whenThereIsAMeterThenThePanelsShowIt() throws IOException {
        Set<String> shown = panelQueries().stream()
                .flatMap(query -> query.selectors().stream())
                .map(PromQuery.Selector::series)
                .collect(Collectors.toSet());
        for (RdmaMeter meter : RdmaMeter.values()) {
            String name = meter.meterName().replace('.', '_');
            assertThat(shown).as("series of " + meter.meterName()).anyMatch(series -> isOf(series, name, meter));
        }
    }

    /** Unit and kind may follow the name. */
    private static boolean isOf(String series, String name, RdmaMeter meter) {
        return series.matches(name + "(_" + meter.unit() + ")?(_total|_count)?");
    }

    @Test
    void whenALegendOrAnAlertNamesALabelThenItsQueryKeepsIt() throws IOException {
        for (JsonNode target : targets()) {
            assertKept(
                    target.path("legendFormat").asString(""),
                    target.path("expr").asString(""));
        }
        for (Map<String, Object> rule : rules()) {
            String expression = (String) rule.get("expr");
            if (!new PromQuery(expression).groupedBy().isEmpty()) {
                assertKept(String.valueOf(rule.get("annotations")), expression);
            }
        }
    }

    private static void assertKept(String text, String expression) {
        assertThat(LEGEND.matcher(text).results().map(found -> found.group(1)))
                .as("%s of %s", text, expression)
                .allMatch(new PromQuery(expression).groupedBy()::contains);
    }

    @Test
    void whenThereIsAnAlertThenOperatorsFindWhatToDo() throws IOException {
        String page = Files.readString(Path.of("../docs/how-to/monitor-and-alert.md"));
        Set<String> described = Pattern.compile("`(Rdma[A-Z]\\w+)`")
                .matcher(page.substring(page.indexOf("## Alerts"), page.indexOf("## Failure modes")))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
        Set<Object> alerts = rules().stream().map(rule -> rule.get("alert")).collect(Collectors.toSet());
        assertThat(alerts).hasSizeGreaterThan(8).hasSameElementsAs(described);
    }

    /** {@code promtool} runs the tests in {@link io.rdmarpc.integration.monitoring}. */
    @Test
    void whenThereIsAnAlertThenItsRuleHasATest() throws IOException {
        Set<Object> tested = entries("alerts-test.yml", "tests", "alert_rule_test").stream()
                .map(test -> test.get("alertname"))
                .collect(Collectors.toSet());
        Set<Object> alerts = rules().stream().map(rule -> rule.get("alert")).collect(Collectors.toSet());

        assertThat(alerts).isNotEmpty().isEqualTo(tested);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prometheus.yml", "kubernetes.yml"})
    void whenPrometheusUsesTheSampleThenItFindsTheRules(String sample) throws IOException {
        Path directory = CONFIG.resolve("prometheus");
        Map<String, Object> file = new Yaml().load(Files.readString(directory.resolve(sample)));

        assertThat(file.get("rule_files"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .isNotEmpty()
                .allSatisfy(name ->
                        assertThat(directory.resolve(String.valueOf(name))).exists());
        assertThat(file.get("scrape_configs"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(1)
                .allSatisfy(job -> assertThat(job.toString()).contains("metrics_path=/actuator/prometheus"));
    }

    @Test
    void whenPanelsAreDrawnThenTheyDoNotOverlap() throws IOException {
        Set<String> places = new HashSet<>();
        for (JsonNode panel : dashboard().path("panels")) {
            JsonNode grid = panel.path("gridPos");
            for (int x = 0; x < grid.path("w").asInt(); x++) {
                for (int y = 0; y < grid.path("h").asInt(); y++) {
                    int column = grid.path("x").asInt() + x;
                    assertThat(column).isLessThan(24);
                    assertThat(places.add(column + ":" + (grid.path("y").asInt() + y)))
                            .as(panel.path("title").asString(""))
                            .isTrue();
                }
            }
        }
    }
}
