package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.autoconfigure.actuator.RdmaEndpointAutoConfiguration;
import io.rdmarpc.autoconfigure.actuator.RdmaHealthContributorAutoConfiguration;
import io.rdmarpc.autoconfigure.actuator.RdmaInfoContributorAutoConfiguration;
import io.rdmarpc.autoconfigure.actuator.RdmaRemoteMemoryActuatorAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.discovery.RdmaDiscoveryAutoConfiguration;
import io.rdmarpc.autoconfigure.memory.RdmaRemoteMemoryAutoConfiguration;
import io.rdmarpc.autoconfigure.observation.RdmaMetricsAutoConfiguration;
import io.rdmarpc.autoconfigure.observation.RdmaObservationAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaProblemMappingAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaSpringSecurityAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaValidationAutoConfiguration;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.service.server.RdmaServer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * All auto-configurations of the starter, without one library that an auto-configuration needs.
 * {@code config/new-user-check} tests them without Actuator: Actuator's annotations are conditions, and a class that
 * is already loaded keeps them.
 */
@Timeout(120)
@DisplayName("The starter")
class OptionalLibrariesTest {

    private static final String[] ALL = {
        "io.micrometer",
        "org.springframework.security",
        "org.springframework.cloud",
        "reactor.core",
        "jakarta.validation",
        "org.springframework.web",
        "tools.jackson"
    };

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaClientAutoConfiguration.class,
                    RdmaDiscoveryAutoConfiguration.class,
                    RdmaEndpointAutoConfiguration.class,
                    RdmaHealthContributorAutoConfiguration.class,
                    RdmaInfoContributorAutoConfiguration.class,
                    RdmaMetricsAutoConfiguration.class,
                    RdmaObservationAutoConfiguration.class,
                    RdmaProblemMappingAutoConfiguration.class,
                    RdmaRemoteMemoryActuatorAutoConfiguration.class,
                    RdmaRemoteMemoryAutoConfiguration.class,
                    RdmaServerAutoConfiguration.class,
                    RdmaSpringSecurityAutoConfiguration.class,
                    RdmaValidationAutoConfiguration.class,
                    TaskExecutionAutoConfiguration.class))
            .withUserConfiguration(Serving.class)
            .withBean(SimpleMeterRegistry.class)
            .withPropertyValues(LocalSettings.values())
            .withPropertyValues(
                    "rdma.remote-memory.enabled=true",
                    "management.endpoints.web.exposure.include=*",
                    "management.endpoints.jmx.exposure.include=*");

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Orders.class)
    static class Serving {

        @Bean
        Orders localOrders() {
            return new OrdersImpl();
        }
    }

    static Stream<Arguments> withoutOneLibrary() {
        return Stream.of(
                Arguments.of("io.micrometer.core", RdmaMetricsAutoConfiguration.class),
                Arguments.of("org.springframework.security", RdmaSpringSecurityAutoConfiguration.class),
                Arguments.of("org.springframework.web", RdmaProblemMappingAutoConfiguration.class),
                Arguments.of("org.springframework.cloud", RdmaDiscoveryAutoConfiguration.class));
    }

    @ParameterizedTest(name = "serves without {0}: {1} is not applied")
    @MethodSource("withoutOneLibrary")
    void whenALibraryIsAbsentThenOnlyItsAutoConfigurationIsNotApplied(String packages, Class<?> notApplied) {
        runner.withClassLoader(new FilteredClassLoader(packages))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RdmaServer.class)
                        .doesNotHaveBean(notApplied));
    }

    @Test
    @DisplayName("serves without any of the libraries")
    void whenAllLibrariesAreAbsentThenItServes() {
        runner.withClassLoader(new FilteredClassLoader(ALL))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RdmaServer.class));
    }

    @Test
    @DisplayName("has its endpoint, health, info and meters if their libraries are present")
    void whenLibrariesArePresentThenTheirBeansExist() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(RdmaEndpointAutoConfiguration.class)
                .hasSingleBean(RdmaHealthContributorAutoConfiguration.class)
                .hasSingleBean(RdmaMetricsAutoConfiguration.class)
                .hasSingleBean(RdmaSpringSecurityAutoConfiguration.class)
                .hasSingleBean(RdmaDiscoveryAutoConfiguration.class));
    }
}
