package io.rdmarpc.autoconfigure.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.RdmaConfigCustomizer;
import io.rdmarpc.rpc.runtime.FallbackNic;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@DisplayName("The software RNIC alongside an RDMA device")
@Timeout(60)
class SoftFallbackTest {

    private static final UdConfig SHORT_QUEUES = new UdConfig(64, 128, UdConfig.AUTO_INLINE);
    private static final RcConfig FEW_READS = new RcConfig(
            RcConfig.DEFAULTS.sendDepth(),
            2,
            RcConfig.DEFAULTS.ackTimeoutExponent(),
            RcConfig.DEFAULTS.retryCount(),
            RcConfig.DEFAULTS.readBudget());

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
            .withPropertyValues("rdma.provider=soft", "rdma.soft.addresses=127.0.0.1", "rdma.memory.max-size=128MB");

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        @Bean
        RdmaConfigCustomizer<NicConfig> smallPackets() {
            return config -> new NicConfig(config.provider(), config.device(), 1, 0, 1024, config.options());
        }

        @Bean
        RdmaConfigCustomizer<UdConfig> shortQueues() {
            return _ -> SHORT_QUEUES;
        }
    }

    @Test
    void shouldUseTheConfigurationOfCustomizersAndBeans() {
        runner.withUserConfiguration(Customized.class)
                .withBean(RcConfig.class, () -> FEW_READS)
                .run(context -> {
                    FallbackNic fallback =
                            context.getBean(SoftFallback.class).fallbackOn(context.getBean(NicContext.class));
                    assertThat(fallback.ud()).isEqualTo(SHORT_QUEUES);
                    assertThat(fallback.rc()).isEqualTo(FEW_READS);
                });
    }

    @Test
    void shouldNotUseTheSettingsOfTheOtherDevice() {
        runner.withUserConfiguration(Customized.class)
                .run(context -> assertThat(context.getBean(SoftFallback.class).softNic())
                        .isEqualTo(new NicConfig(
                                "soft",
                                NicConfig.AUTO,
                                1,
                                NicConfig.AUTO_GID,
                                1024,
                                Map.of("soft.addresses", "127.0.0.1"))));
    }

    @ParameterizedTest
    @CsvSource({"BUSY, ADAPTIVE", "ADAPTIVE, ADAPTIVE", "EVENT, EVENT"})
    void shouldHaveOneThreadThatSleepsAndIsNotBound(IdlePolicy policy, IdlePolicy expected) {
        runner.withBean(
                        PollingConfig.class,
                        () -> PollingConfig.DEFAULTS
                                .withThreads(2)
                                .withIdleStrategy(policy)
                                .withCpus(List.of(0)))
                .run(context -> assertThat(context.getBean(SoftFallback.class).pollingConfig())
                        .isEqualTo(PollingConfig.DEFAULTS.withIdleStrategy(expected)));
    }

    @Test
    void shouldHaveAThreadWithItsOwnName() {
        runner.withPropertyValues("rdma.polling.thread-name=shop").run(context -> {
            FallbackNic fallback = context.getBean(SoftFallback.class).fallbackOn(context.getBean(NicContext.class));
            assertThat(context.getBean(PollingThread.class).name()).isEqualTo("shop");
            assertThat(fallback.thread().name()).isEqualTo("shop-fallback");
        });
    }

    @Test
    void whenTheDeviceIsASoftwareRnicThenThereIsNoFallback() {
        runner.withPropertyValues("rdma.client.fallback=soft")
                .run(context -> assertThat(
                                context.getBean(SoftFallback.class).openAlongside(context.getBean(NicContext.class)))
                        .isNull());
    }
}
