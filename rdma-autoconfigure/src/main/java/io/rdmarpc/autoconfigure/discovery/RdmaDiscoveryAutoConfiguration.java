package io.rdmarpc.autoconfigure.discovery;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.service.server.RdmaServer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.serviceregistry.Registration;
import org.springframework.cloud.client.serviceregistry.ServiceRegistry;
import org.springframework.cloud.loadbalancer.core.ServiceInstanceListSupplier;
import org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of registries, if Spring Cloud is present. It supports the addresses {@code discovery:name} and
 * {@code lb://name}, and publishes the control port in the metadata of the application's own instance.
 */
@AutoConfiguration(
        after = {RdmaAutoConfiguration.class, RdmaServerAutoConfiguration.class},
        before = RdmaClientAutoConfiguration.class,
        afterName = {
            "org.springframework.cloud.client.CommonsClientAutoConfiguration",
            "org.springframework.cloud.client.discovery.composite.CompositeDiscoveryClientAutoConfiguration",
            "org.springframework.cloud.client.discovery.simple.SimpleDiscoveryClientAutoConfiguration",
            "org.springframework.cloud.client.serviceregistry.AutoServiceRegistrationAutoConfiguration",
            "org.springframework.cloud.loadbalancer.config.LoadBalancerAutoConfiguration"
        })
@ConditionalOnClass(DiscoveryClient.class)
@ConditionalOnBooleanProperty(name = "rdma.enabled", matchIfMissing = true)
public final class RdmaDiscoveryAutoConfiguration {

    private static final String DISCOVERY = "discovery:";
    private static final String LOAD_BALANCER = "lb://";

    /** Instantiated by Spring. */
    RdmaDiscoveryAutoConfiguration() {}

    /** Also resolves lb:// if there is no load balancer. */
    @Bean
    @ConditionalOnBean(DiscoveryClient.class)
    RegistryResolver rdmaDiscoveryResolver(DiscoveryClient discovery, RdmaProperties properties) {
        return new RegistryResolver(
                List.of(DISCOVERY, LOAD_BALANCER),
                service -> () -> discovery.getInstances(service),
                properties.client().discovery().refreshInterval(),
                Ordered.LOWEST_PRECEDENCE);
    }

    /**
     * Applies the filters of the application's load balancer: zones, health, hints. The client selects the instance
     * itself.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LoadBalancerClientFactory.class)
    static class LoadBalancing {

        @Bean
        @ConditionalOnBean(LoadBalancerClientFactory.class)
        RegistryResolver rdmaLoadBalancerResolver(LoadBalancerClientFactory factory, RdmaProperties properties) {
            return new RegistryResolver(
                    List.of(LOAD_BALANCER),
                    service -> instances(factory, service, properties.connectTimeout()),
                    properties.client().discovery().refreshInterval(),
                    Ordered.LOWEST_PRECEDENCE - 1);
        }

        private static Supplier<List<ServiceInstance>> instances(
                LoadBalancerClientFactory factory, String service, Duration limit) {
            return () -> {
                ServiceInstanceListSupplier supplier = factory.getInstance(service, ServiceInstanceListSupplier.class);
                if (supplier == null) {
                    throw new IllegalStateException("the load balancer has no supplier of instances of " + service
                            + ": add spring-cloud-starter-loadbalancer and a registry client");
                }
                List<ServiceInstance> found = supplier.get().blockFirst(limit);
                return found == null ? List.of() : found;
            };
        }
    }

    /**
     * Publishes the control port in the application's own registry entry. A registry accepts every registration, so
     * the conditions check the settings by which an application opts out of registration.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(
            name = {
                "rdma.server.enabled",
                "rdma.server.registration.enabled",
                "spring.cloud.service-registry.auto-registration.enabled",
                "spring.cloud.zookeeper.discovery.register",
                "spring.cloud.consul.discovery.register",
                "spring.cloud.nacos.discovery.register-enabled",
                "eureka.client.register-with-eureka"
            },
            matchIfMissing = true)
    static class Publishing {

        @Bean
        ControlPortPublisher rdmaControlPortPublisher(
                ObjectProvider<RdmaServer> server,
                ObjectProvider<Registration> registration,
                ObjectProvider<ServiceRegistry<?>> registry,
                RdmaProperties properties) {
            return new ControlPortPublisher(
                    server,
                    registration,
                    registry,
                    properties.server().registration().quietPeriod());
        }
    }
}
