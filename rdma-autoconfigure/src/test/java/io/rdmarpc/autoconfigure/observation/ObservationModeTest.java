package io.rdmarpc.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import io.rdmarpc.service.observation.ObservedClientCalls;
import io.rdmarpc.service.observation.ObservedServerCalls;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@DisplayName("The mode of observation")
@Timeout(60)
class ObservationModeTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaMetricsAutoConfiguration.class,
                    RdmaObservationAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(ObservationRegistry.class, ObservationRegistry::create)
            .withPropertyValues("rdma.provider=soft", "rdma.soft.addresses=127.0.0.1", "rdma.memory.max-size=128MB");

    private static final ContextConsumer<AssertableApplicationContext> TIMERS = context -> assertThat(context)
            .hasSingleBean(MicrometerCallObserver.class)
            .doesNotHaveBean(ObservedClientCalls.class)
            .doesNotHaveBean(ObservedServerCalls.class);

    private static final ContextConsumer<AssertableApplicationContext> OBSERVATIONS = context -> assertThat(context)
            .doesNotHaveBean(CallObserver.class)
            .hasSingleBean(ObservedClientCalls.class)
            .hasSingleBean(ObservedServerCalls.class);

    @Configuration(proxyBeanMethods = false)
    static class Audit {

        @Bean
        ObservationHandler<Observation.Context> audit() {
            return context -> true;
        }
    }

    @Test
    void whenNothingNeedsObservationsThenThereAreTimers() {
        runner.run(TIMERS);
    }

    @Test
    void whenObservationsOnlyFeedTimersThenThereAreTimers() {
        runner.withBean(
                        DefaultMeterObservationHandler.class,
                        () -> new DefaultMeterObservationHandler(new SimpleMeterRegistry()))
                .run(TIMERS);
    }

    @Test
    void whenThereIsATracerThenThereAreObservations() {
        runner.withBean(Tracer.class, () -> mock(Tracer.class)).run(OBSERVATIONS);
    }

    @Test
    void whenTheApplicationHasAHandlerThenThereAreObservations() {
        runner.withUserConfiguration(Audit.class).run(OBSERVATIONS);
    }

    @Test
    void whenAModeIsSetThenItIsUsed() {
        runner.withPropertyValues("rdma.observation.mode=observation").run(OBSERVATIONS);
        runner.withUserConfiguration(Audit.class)
                .withPropertyValues("rdma.observation.mode=timer")
                .run(TIMERS);
        runner.withPropertyValues("rdma.observation.mode=none")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(CallObserver.class)
                        .doesNotHaveBean(ObservedClientCalls.class));
    }

    @Test
    void whenTracingIsAbsentThenTheContextStarts() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer.tracing")).run(TIMERS);
    }

    @Test
    void whenObservationIsAbsentThenTheContextStarts() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RdmaAutoConfiguration.class,
                        RdmaMetricsAutoConfiguration.class,
                        RdmaObservationAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("rdma.provider=soft", "rdma.soft.addresses=127.0.0.1", "rdma.memory.max-size=128MB")
                .run(TIMERS);
    }
}
