package io.rdmarpc.autoconfigure.observation;

import io.micrometer.observation.ObservationRegistry;
import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.RdmaProperties.Observation.Mode;
import io.rdmarpc.service.observation.ObservedClientCalls;
import io.rdmarpc.service.observation.ObservedServerCalls;
import io.rdmarpc.service.observation.RdmaClientObservationConvention;
import io.rdmarpc.service.observation.RdmaServerObservationConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of observations: traces and timers of calls, in observation mode. */
@AutoConfiguration(
        after = RdmaAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ObservationRegistry.class, RdmaProperties.class})
@ConditionalOnObservationMode(Mode.OBSERVATION)
public final class RdmaObservationAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ObservedClientCalls rdmaObservedClientCalls(
            ObservationRegistry registry, ObjectProvider<RdmaClientObservationConvention> convention) {
        return new ObservedClientCalls(registry, convention.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    ObservedServerCalls rdmaObservedServerCalls(
            ObservationRegistry registry, ObjectProvider<RdmaServerObservationConvention> convention) {
        return new ObservedServerCalls(registry, convention.getIfAvailable());
    }
}
