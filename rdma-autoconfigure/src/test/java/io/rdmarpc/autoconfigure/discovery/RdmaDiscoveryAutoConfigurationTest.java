package io.rdmarpc.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.client.TargetResolvers;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory;
import org.springframework.context.ApplicationContext;

@DisplayName("Auto-configuration of registries")
@Timeout(60)
class RdmaDiscoveryAutoConfigurationTest {

    private static final String BY_LOAD_BALANCER = "rdma.client.targets.default.address=lb://orders";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaDiscoveryAutoConfiguration.class,
                    RdmaClientAutoConfiguration.class,
                    RdmaServerAutoConfiguration.class))
            .withPropertyValues(
                    "rdma.provider=soft",
                    "rdma.soft.addresses=127.0.0.1",
                    "rdma.server.address=127.0.0.1",
                    "rdma.server.port=0",
                    "rdma.memory.max-size=128MB");

    private ApplicationContextRunner withRegistry() {
        return runner.withBean(DiscoveryClient.class, () -> mock(DiscoveryClient.class));
    }

    private static Optional<RdmaTargetResolver> resolverOf(String address, ApplicationContext context) {
        return new TargetResolvers(context.getBeanProvider(RdmaTargetResolver.class)
                        .orderedStream()
                        .toList())
                .of(address);
    }

    @Test
    void whenSpringCloudIsAbsentThenThereAreNoRegistryBeans() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("rdmaDiscoveryResolver")
                        .doesNotHaveBean("rdmaLoadBalancerResolver")
                        .doesNotHaveBean("rdmaControlPortPublisher"));
    }

    @Test
    void whenAnAddressNeedsSpringCloudThenTheFailureNamesTheDependency() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
                .withPropertyValues(BY_LOAD_BALANCER, "rdma.client.eager-connect=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaConfigurationException.class)
                        .hasMessageContaining("lb://orders")
                        .hasMessageContaining("spring-cloud-starter"));
    }

    @Test
    void whenThereIsNoRegistryThenNoAddressIsResolvedByOne() {
        runner.run(context -> assertThat(context)
                .doesNotHaveBean("rdmaDiscoveryResolver")
                .doesNotHaveBean("rdmaLoadBalancerResolver")
                .hasBean("rdmaControlPortPublisher"));
    }

    @Test
    void whenThereIsNoLoadBalancerThenTheRegistryResolvesItsAddresses() {
        withRegistry()
                .withClassLoader(new FilteredClassLoader(LoadBalancerClientFactory.class))
                .run(context -> assertThat(resolverOf("lb://orders", context))
                        .contains(context.getBean("rdmaDiscoveryResolver", RegistryResolver.class)));
    }

    @Test
    void whenThereIsALoadBalancerThenItResolvesItsAddresses() {
        withRegistry()
                .withBean(LoadBalancerClientFactory.class, () -> mock(LoadBalancerClientFactory.class))
                .run(context -> assertThat(resolverOf("lb://orders", context))
                        .contains(context.getBean("rdmaLoadBalancerResolver", RegistryResolver.class)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rdma.server.enabled",
                "rdma.server.registration.enabled",
                "spring.cloud.service-registry.auto-registration.enabled",
                "spring.cloud.zookeeper.discovery.register",
                "spring.cloud.consul.discovery.register",
                "spring.cloud.nacos.discovery.register-enabled",
                "eureka.client.register-with-eureka"
            })
    void whenRegistrationIsDisabledThenNothingIsPublished(String setting) {
        withRegistry()
                .withPropertyValues(setting + "=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("rdmaDiscoveryResolver")
                        .doesNotHaveBean("rdmaControlPortPublisher"));
    }
}
