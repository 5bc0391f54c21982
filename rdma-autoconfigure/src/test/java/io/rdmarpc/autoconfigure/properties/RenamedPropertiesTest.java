package io.rdmarpc.autoconfigure.properties;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RenamedPropertiesTest {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(BoundSettings.Configured.class);

    private static JsonNode metadata(String file) throws IOException {
        try (InputStream stream =
                Objects.requireNonNull(RenamedPropertiesTest.class.getResourceAsStream("/META-INF/" + file), file)) {
            return JsonMapper.shared().readTree(stream).path("properties");
        }
    }

    private static Set<Map.Entry<String, String>> names() {
        return new TreeMap<>(RenamedProperties.NEW_NAMES).entrySet();
    }

    @ParameterizedTest
    @MethodSource("names")
    void whenAnOldNameIsSetThenTheStartFailsWithTheNewName(Map.Entry<String, String> names) {
        runner.withPropertyValues(names.getKey() + "=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaRenamedPropertiesException.class)
                        .hasMessageStartingWith("'" + names.getKey() + "' is now '" + names.getValue() + "' ("));
    }

    @Test
    void whenAnOldNameIsAnEnvironmentVariableThenTheStartFails() {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment", Map.of("RDMA_GID_INDEX", "3"))))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("'rdma.gid-index' is now 'rdma.device.gid-index'")
                        .hasMessageContaining("RDMA_GID_INDEX"));
    }

    /** Spring Boot treats names as equal that differ only in dashes and case. */
    @Test
    void shouldHaveOldNamesThatSpringBootDistinguishesFromTheNewOnes() {
        assertThat(RenamedProperties.NEW_NAMES.keySet())
                .extracting(ConfigurationPropertyName::of)
                .doesNotContainAnyElementsOf(RenamedProperties.NEW_NAMES.values().stream()
                        .map(ConfigurationPropertyName::of)
                        .toList());
    }

    @Test
    void whenAnOldNameIsInCamelCaseThenTheStartFails() {
        runner.withPropertyValues("rdma.polling.idleTurns=3")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("'rdma.polling.idle-turns' is now 'rdma.polling.idle-spins'"));
    }

    @Test
    void whenSeveralOldNamesAreSetThenEachHasALine() {
        runner.withPropertyValues("rdma.window=8", "rdma.backlog=8")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .satisfies(failure -> assertThat(failure.getMessage().lines())
                                .hasSize(2)
                                .allMatch(line -> line.contains(" is now 'rdma.client."))));
    }

    @Test
    void shouldBeDeprecatedInTheMetadataByTheSameNames() throws IOException {
        Map<String, String> deprecated = new TreeMap<>();
        for (JsonNode property : metadata("additional-spring-configuration-metadata.json")) {
            JsonNode deprecation = property.path("deprecation");
            if (deprecation.path("level").asString("").equals("error")) {
                deprecated.put(
                        property.get("name").asString(),
                        deprecation.path("replacement").asString(""));
            }
        }

        assertThat(deprecated).isEqualTo(RenamedProperties.NEW_NAMES);
    }

    @Test
    void shouldHaveReplacementsThatExist() throws IOException {
        Set<String> existing = new TreeSet<>();
        for (JsonNode property : metadata("spring-configuration-metadata.json")) {
            if (property.path("deprecation").isMissingNode()) {
                existing.add(property.get("name").asString());
            }
        }

        assertThat(existing)
                .containsAll(RenamedProperties.NEW_NAMES.values())
                .doesNotContainAnyElementsOf(RenamedProperties.NEW_NAMES.keySet());
    }
}
