package io.rdmarpc.autoconfigure.actuator;

import io.micrometer.core.instrument.MeterRegistry;
import io.rdmarpc.autoconfigure.memory.RdmaRemoteMemoryAutoConfiguration;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.service.observation.RemoteMemoryMeters;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of monitoring of remote memory: meters, health, and an endpoint. */
@AutoConfiguration(
        after = RdmaRemoteMemoryAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBean(RemoteMemory.class)
public final class RdmaRemoteMemoryActuatorAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaRemoteMemoryActuatorAutoConfiguration() {}

    /** Meters, if there is a meter registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class Meters {

        @Bean
        @ConditionalOnMissingBean
        RemoteMemoryMeters rdmaRemoteMemoryMeters(RemoteMemory memory) {
            return new RemoteMemoryMeters(memory);
        }
    }

    /** Health, if the application has health indicators. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("rdma-memory")
    static class MemoryHealth {

        @Bean
        @ConditionalOnMissingBean(name = {"rdmaMemoryHealthIndicator", "rdmaMemoryHealthContributor"})
        RemoteMemoryHealthIndicator rdmaMemoryHealthContributor(RemoteMemory memory) {
            return new RemoteMemoryHealthIndicator(memory);
        }
    }

    /** The endpoint, if it is available. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @ConditionalOnAvailableEndpoint(RemoteMemoryEndpoint.class)
    static class MemoryEndpoint {

        @Bean
        @ConditionalOnMissingBean
        RemoteMemoryEndpoint rdmaMemoryEndpoint(RemoteMemory memory) {
            return new RemoteMemoryEndpoint(memory);
        }
    }
}
