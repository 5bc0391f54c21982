package io.rdmarpc.autoconfigure.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.properties.RdmaProperties.Observation.Mode;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.observation.EngineMeters;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import io.rdmarpc.service.observation.RequestTimerFilter;
import io.rdmarpc.transport.NicContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of meters: timers of calls at clients and servers, and the engine's counters. */
@AutoConfiguration(
        after = RdmaAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, RdmaRuntime.class})
public final class RdmaMetricsAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(CallObserver.class)
    @ConditionalOnObservationMode(Mode.TIMER)
    MicrometerCallObserver rdmaCallObserver(MeterRegistry registry) {
        return new MicrometerCallObserver(registry);
    }

    @Bean
    static RequestTimerFilter rdmaRequestTimerFilter() {
        return new RequestTimerFilter();
    }

    @Bean
    @ConditionalOnMissingBean
    EngineMeters rdmaEngineMeters(RdmaRuntime runtime, NicContext nic) {
        return new EngineMeters(runtime, nic);
    }
}
