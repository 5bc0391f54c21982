package io.rdmarpc.autoconfigure.properties;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.engine.EngineConfigs;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class RdmaPresetDefaultsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RdmaProperties.class)
    static class Properties {}

    private static RdmaProperties start(Map<String, Object> defaults, String... arguments) {
        SpringApplication application = new SpringApplication(Properties.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(defaults);
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            return context.getBean(RdmaProperties.class);
        }
    }

    @Test
    void whenAPresetIsSetThenDefaultsChange() {
        RdmaProperties properties = start(Map.of(), "--rdma.preset=latency");
        assertThat(properties.preset()).isEqualTo(RdmaPreset.LATENCY);
        assertThat(properties.polling().idleStrategy()).isEqualTo(IdlePolicy.BUSY);
    }

    @Test
    void whenNoPresetIsSetThenDefaultsDoNotChange() {
        assertThat(start(Map.of())).usingRecursiveComparison().isEqualTo(start(Map.of(), "--rdma.preset=balanced"));
        assertThat(start(Map.of()).polling().idleStrategy()).isEqualTo(IdlePolicy.ADAPTIVE);
    }

    @Test
    void shouldPreferExplicitSettingsOfAnySource() {
        assertThat(start(Map.of(), "--rdma.preset=throughput", "--rdma.client.max-in-flight=4")
                        .client()
                        .maxInFlight())
                .isEqualTo(4);
        assertThat(start(Map.of("rdma.client.max-in-flight", "5"), "--rdma.preset=throughput")
                        .client()
                        .maxInFlight())
                .isEqualTo(5);
        assertThat(start(Map.of("rdma.ud.sendDepth", "99"), "--rdma.preset=throughput")
                        .ud()
                        .sendDepth())
                .isEqualTo(99);
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveValidSettingsInEachPreset(RdmaPreset preset) {
        RdmaProperties properties = start(Map.of(), "--rdma.preset=" + preset);
        assertThat(properties.preset()).isEqualTo(preset);
        // The engine validates combinations, such as heartbeats and their timeout.
        assertThat(EngineConfigs.rpc(properties, null).maxInFlight())
                .isEqualTo(properties.client().maxInFlight());
        if (preset != RdmaPreset.BALANCED) {
            assertThat(properties).isNotEqualTo(start(Map.of()));
        }
    }

    @Test
    void shouldPreferEnvironmentVariables() {
        Map<String, Object> variables = new HashMap<>();
        variables.put("RDMA_PROVIDER", "soft");
        variables.put("RDMA_UD_RECEIVEDEPTH", "2048");
        variables.put("RDMA_SOFT_SHAREDMEMORY_ENABLED", "false");
        variables.put("RDMA_CLIENT_TARGETS_DEFAULT_ADDRESS", "orders.example.com:7471");
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables));
        ConfigurationPropertySources.attach(environment);
        RdmaProperties properties = Binder.get(environment).bindOrCreate("rdma", RdmaProperties.class);
        assertThat(properties.provider()).isEqualTo("soft");
        assertThat(properties.ud().receiveDepth()).isEqualTo(2048);
        assertThat(properties.soft().sharedMemory().enabled()).isFalse();
        assertThat(properties.client().targets().get("default").address()).isEqualTo("orders.example.com:7471");
    }
}
