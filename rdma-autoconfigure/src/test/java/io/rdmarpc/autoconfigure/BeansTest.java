package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.engine.RdmaStartupLog;
import io.rdmarpc.autoconfigure.engine.ShutdownTime;
import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

@DisplayName("The configuration of the NIC, the transports and the engine")
@Timeout(60)
class BeansTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class, RdmaClientAutoConfiguration.class, RdmaServerAutoConfiguration.class))
            .withPropertyValues(LocalSettings.values());

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        @Bean
        @Order(2)
        RdmaConfigCustomizer<RpcConfig> second() {
            return config -> config.toBuilder()
                    .traffic(config.traffic().withBatching(config.maxInFlight() == 8))
                    .build();
        }

        @Bean
        @Order(1)
        RdmaConfigCustomizer<RpcConfig> first() {
            return config -> config.toBuilder()
                    .traffic(config.traffic().withBatching(false))
                    .build();
        }

        @Bean
        RdmaConfigCustomizer<UdConfig> shortQueues() {
            return config -> new UdConfig(64, 128, config.inlineBytes());
        }

        @Bean
        RdmaConfigCustomizer<PollingConfig> twoThreads() {
            return config -> config.withThreads(2);
        }
    }

    @Test
    void shouldDefineABeanForEachConfiguration() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(NicConfig.class)
                .hasSingleBean(UdConfig.class)
                .hasSingleBean(RcConfig.class)
                .hasSingleBean(MemoryConfig.class)
                .hasSingleBean(PollingConfig.class)
                .hasSingleBean(RpcConfig.class));
    }

    @Test
    void whenThereIsABeanThenItReplacesTheProperties() {
        MemoryConfig own = new MemoryConfig(32 << 20, 1 << 20);
        runner.withBean(MemoryConfig.class, () -> own)
                .run(context -> assertThat(context.getBean(RdmaRuntime.class).memoryLimitBytes())
                        .isEqualTo(32 << 20));
    }

    @Test
    void shouldLogTheMemoryLimitAtStart() {
        runner.withBean(MemoryConfig.class, () -> new MemoryConfig(32 << 20, 1 << 20))
                .run(context -> assertThat(context.getBean(RdmaStartupLog.class).line())
                        .contains("registered memory up to 32 MB"));
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutThreads {

        @Bean
        RdmaConfigCustomizer<PollingConfig> none() {
            return config -> config.withThreads(0);
        }
    }

    @Test
    void whenACustomizerSetsNoThreadThenTheStartFailsWithTheReason() {
        runner.withUserConfiguration(WithoutThreads.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaConfigurationException.class)
                        .hasMessageContaining("rdma.polling.threads = 0"));
    }

    @Test
    void shouldApplyCustomizersInOrder() {
        runner.withUserConfiguration(Customized.class).run(context -> {
            assertThat(context.getBean(RpcConfig.class).traffic().batching()).isTrue();
            assertThat(context.getBean(UdConfig.class)).isEqualTo(new UdConfig(64, 128, UdConfig.AUTO_INLINE));
            assertThat(context.getBean(RdmaRuntime.class).engineSnapshots()).hasSize(2);
            assertThat(context.getBean(RdmaRuntime.class).scaling().max())
                    .as("fixed")
                    .isEqualTo(2);
            assertThat(context.getBean(RcConfig.class)).isEqualTo(RcConfig.DEFAULTS);
        });
    }

    @Test
    void whenTheDeviceLimitIsExceededThenTheFailureNamesDeviceAndLimit() {
        runner.withPropertyValues("rdma.ud.receive-depth=10000000")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaConfigurationException.class)
                        .hasMessageContaining("rdma.ud.receive-depth")
                        .hasMessageContaining("10000000")
                        .hasMessageContaining("device soft0 allows 16 to"));
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Orders.class)
    static class Scanned {}

    @Configuration(proxyBeanMethods = false)
    static class Serving {

        @Bean
        Orders localOrders() {
            return new OrdersImpl();
        }
    }

    @Test
    void shouldConnectToTargetsAtTheFirstCall() {
        runner.withUserConfiguration(Scanned.class)
                .withPropertyValues("rdma.client.targets.default.address=127.0.0.1:1")
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean("rdmaTargetConnector");
                    assertThat(context.getBean(RdmaRuntime.class).sessions()).isEmpty();
                });
    }

    @Test
    void whenEagerConnectFailsThenTheApplicationDoesNotStart() {
        runner.withPropertyValues(
                        "rdma.client.eager-connect=true",
                        "rdma.connect-timeout=200ms",
                        "rdma.client.targets.orders.address=127.0.0.1:1")
                .run(context ->
                        assertThat(context).getFailure().hasStackTraceContaining("rdma.client.targets.orders.address"));
    }

    @Test
    void whenEagerConnectIsSetThenSessionsAreOpenAfterTheStart() {
        runner.withUserConfiguration(Serving.class)
                .run(server -> runner.withUserConfiguration(Scanned.class)
                        .withPropertyValues(
                                "rdma.client.eager-connect=true",
                                "rdma.client.targets.orders.address=127.0.0.1:"
                                        + server.getEnvironment().getProperty("local.rdma.server.port"))
                        .run(context -> assertThat(
                                        context.getBean(RdmaRuntime.class).sessions())
                                .singleElement()
                                .satisfies(
                                        session -> assertThat(session.target()).isEqualTo("orders"))));
    }

    private static RdmaServerProperties.Shutdown shutdown(Duration gracePeriod) {
        return new RdmaServerProperties.Shutdown(gracePeriod);
    }

    @Test
    void shouldStopWithinTheShutdownPhase() {
        LifecycleProperties lifecycle = new LifecycleProperties();
        lifecycle.setTimeoutPerShutdownPhase(Duration.ofSeconds(10));
        for (Duration tooLong : List.of(Duration.ofSeconds(60), Duration.ofSeconds(-1))) {
            assertThat(ShutdownTime.of(shutdown(tooLong), lifecycle)).isEqualTo(Duration.ofSeconds(9));
        }
        assertThat(ShutdownTime.of(shutdown(Duration.ofSeconds(3)), lifecycle)).isEqualTo(Duration.ofSeconds(3));
        assertThat(ShutdownTime.of(shutdown(Duration.ofSeconds(60)), null)).isEqualTo(Duration.ofSeconds(27));
    }
}
