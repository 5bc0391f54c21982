package io.rdmarpc.autoconfigure.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class TokenSanitizerTest {

    private static final String TOKEN = "0123456789abcdef";

    private final TokenSanitizer sanitizer = new TokenSanitizer();

    @ParameterizedTest
    @ValueSource(strings = {"rdma.security.token", "RDMA_SECURITY_TOKEN", "rdma.security.Token"})
    void shouldHideTheTokenInAnyNotation(String key) {
        assertThat(sanitizer.apply(new SanitizableData(null, key, TOKEN)).getValue())
                .isNotEqualTo(TOKEN);
    }

    @Test
    void shouldShowOtherSettings() {
        assertThat(sanitizer
                        .apply(new SanitizableData(null, "rdma.server.session-token-lifetime", "30s"))
                        .getValue())
                .isEqualTo("30s");
    }

    @Test
    void whenAnEndpointShowsAllValuesThenItDoesNotShowTheToken() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("rdma.security.token", TOKEN, "rdma.device.port", "1")));

        String shown = new EnvironmentEndpoint(environment, List.of(sanitizer), Show.ALWAYS)
                .environment("rdma").getPropertySources().stream()
                        .map(source -> source.getProperties().values().stream()
                                .map(value -> String.valueOf(value.getValue()))
                                .toList()
                                .toString())
                        .toList()
                        .toString();

        assertThat(shown).contains("1", "******").doesNotContain(TOKEN);
    }
}
