package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.autoconfigure.engine.RdmaStartupLog;
import io.rdmarpc.autoconfigure.observation.RdmaMetricsAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.client.RdmaProxy;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.observation.EngineMeters;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.service.server.RdmaServerStartedEvent;
import io.rdmarpc.service.server.RdmaServerStoppedEvent;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

@Timeout(60)
class RdmaAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaClientAutoConfiguration.class,
                    RdmaServerAutoConfiguration.class,
                    RdmaMetricsAutoConfiguration.class,
                    TaskExecutionAutoConfiguration.class))
            .withPropertyValues(LocalSettings.values());

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Orders.class)
    static class Scanned {}

    @Configuration(proxyBeanMethods = false)
    @Import(Scanned.class)
    static class Serving {

        @Bean
        Orders localOrders() {
            return new OrdersImpl();
        }
    }

    @Test
    void shouldDefineABeanForEachPart() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(NicContext.class)
                .hasSingleBean(UdTransport.class)
                .hasSingleBean(RcTransport.class)
                .hasSingleBean(PollingThread.class)
                .hasSingleBean(RdmaRuntime.class)
                .hasSingleBean(ServiceCodecFactory.class)
                .hasSingleBean(RdmaServiceProxyFactory.class)
                .hasSingleBean(RdmaServer.class));
    }

    @Test
    @DisplayName("CP-19 with rdma.enabled=false there is no NIC, no server, no client")
    void whenDisabledThenThereAreNoBeans() {
        runner.withUserConfiguration(Scanned.class)
                .withPropertyValues("rdma.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(NicContext.class)
                        .doesNotHaveBean(RdmaServer.class)
                        .doesNotHaveBean(Orders.class));
    }

    @Test
    void whenTheServerIsDisabledThenOnlyTheClientExists() {
        runner.withUserConfiguration(Scanned.class)
                .withPropertyValues("rdma.server.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(RdmaServer.class)
                        .doesNotHaveBean("rdmaServerExecutor")
                        .hasSingleBean(Orders.class));
    }

    @Test
    void whenTheClientIsDisabledThenOnlyTheServerExists() {
        runner.withUserConfiguration(Serving.class)
                .withPropertyValues("rdma.client.enabled=false")
                .run(context -> {
                    assertThat(context).hasSingleBean(Orders.class).doesNotHaveBean(RdmaClients.class);
                    assertThat(context.getBean(RdmaServer.class).services()).containsExactly("test.Orders");
                });
    }

    @Test
    void whenTheApplicationDefinesAPartThenItIsUsed() {
        NicContext nic = NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
        PollingThread thread = new PollingThread("mine", 10, Duration.ofMillis(1));
        CallObserver observer = mock(CallObserver.class);
        runner.withBean(NicContext.class, () -> nic)
                .withBean(PollingThread.class, () -> thread)
                .withBean(CallObserver.class, () -> observer)
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    assertThat(context).getBean(NicContext.class).isSameAs(nic);
                    assertThat(context).getBean(PollingThread.class).isSameAs(thread);
                    assertThat(context).getBean(CallObserver.class).isSameAs(observer);
                    assertThat(thread.isRunning()).isTrue();
                });
        assertThat(thread.isRunning()).isFalse();
    }

    @Test
    void whenThereIsNoServiceThenNothingListensAndTheJvmMayExit() {
        runner.run(context -> {
            assertThat(context.getBean(RdmaServer.class).address()).isNull();
            assertThat(context.getEnvironment().getProperty("local.rdma.server.port"))
                    .isNull();
            assertThat(keepAliveThreads()).isZero();
        });
    }

    @Test
    void whenThereIsAServiceThenTheServerListensAndPublishesItsPort() {
        runner.withUserConfiguration(Serving.class, Events.class).run(context -> {
            RdmaServer server = context.getBean(RdmaServer.class);
            assertThat(server.address().getPort())
                    .isPositive()
                    .isEqualTo(context.getEnvironment().getProperty("local.rdma.server.port", Integer.class));
            assertThat(keepAliveThreads()).isOne();
            assertThat(context.getBean(Events.class).seen).containsExactly("started [test.Orders]");
            context.stop();
            assertThat(context.getBean(Events.class).seen).containsExactly("started [test.Orders]", "stopped");
            assertThat(server.address()).isNull();
            assertThat(keepAliveThreads()).isZero();
        });
    }

    private static long keepAliveThreads() {
        // An interrupted thread ends a little later.
        long count = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("rdma-keep-alive") && !thread.isInterrupted()) {
                count++;
            }
        }
        return count;
    }

    @Configuration(proxyBeanMethods = false)
    static class Events {

        final List<String> seen = new ArrayList<>();

        @EventListener
        void onStarted(RdmaServerStartedEvent event) {
            seen.add("started " + event.getServices());
        }

        @EventListener
        void onStopped(RdmaServerStoppedEvent event) {
            seen.add("stopped");
        }
    }

    static class Shop {

        @Autowired
        Orders any;

        @Autowired
        @RdmaClient
        Orders remote;

        @Autowired(required = false)
        @RdmaClient("second")
        Orders second;
    }

    @Test
    void whenThereIsNoImplementationThenTheClientIsInjected() {
        runner.withUserConfiguration(Scanned.class).withBean(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(shop.any).isInstanceOf(RdmaProxy.class).isSameAs(shop.remote);
            assertThat(shop.any).hasToString("test.Orders at default (localhost:7471)");
            assertThat(shop.second).isNull();
        });
    }

    @Test
    void whenThereIsAnImplementationThenItIsInjectedUnlessTheClientIsNamed() {
        runner.withUserConfiguration(Serving.class).withBean(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(shop.any).isInstanceOf(OrdersImpl.class);
            assertThat(shop.remote).isInstanceOf(RdmaProxy.class);
        });
    }

    @Test
    void shouldInjectOtherTargetsByName() {
        runner.withUserConfiguration(Scanned.class)
                .withBean(Shop.class)
                .withPropertyValues(
                        "rdma.client.targets.default.address=[::1]:1000", "rdma.client.targets.second.address=two")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    assertThat(shop.any).hasToString("test.Orders at default (::1:1000)");
                    assertThat(shop.second).hasToString("test.Orders at second (two:7471)");
                    assertThat(context.getBean(Orders.class)).isSameAs(shop.any);
                });
    }

    @Test
    void whenAServiceHasATargetThenItIsInjectedWithoutAName() {
        runner.withUserConfiguration(Scanned.class)
                .withBean(Shop.class)
                .withPropertyValues(
                        "rdma.client.targets.second.address=two", "rdma.client.services[test.Orders].target=second")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    assertThat(shop.any).hasToString("test.Orders at second (two:7471)");
                    assertThat(shop.second).isSameAs(shop.any);
                    assertThat(shop.remote).hasToString("test.Orders at default (localhost:7471)");
                });
    }

    @Test
    void whenTheTargetOfAServiceIsUnknownThenTheFailureNamesIt() {
        runner.withUserConfiguration(Scanned.class)
                .withBean(Shop.class)
                .withPropertyValues("rdma.client.services[test.Orders].target=second")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("rdma.client.targets.second.address")
                        .hasMessageContaining("'second' is wanted"));
    }

    @Test
    void whenThereAreNoPackagesThenNothingIsScanned() {
        runner.run(context -> assertThat(context).doesNotHaveBean(Orders.class));
    }

    @Test
    void shouldUseVirtualThreadsIfTheApplicationDoes() {
        runner.run(context ->
                assertThat(context.getBean("rdmaServerExecutor")).isInstanceOf(ThreadPoolTaskExecutor.class));
        runner.withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> assertThat(context.getBean("rdmaServerExecutor"))
                        .isInstanceOf(VirtualThreadTaskExecutor.class));
        Executor own = Runnable::run;
        runner.withBean("rdmaServerExecutor", Executor.class, () -> own)
                .run(context ->
                        assertThat(context.getBean("rdmaServerExecutor")).isSameAs(own));
    }

    @Test
    void shouldKeepSpringBootsExecutor() {
        runner.run(context -> assertThat(context).hasBean("applicationTaskExecutor"));
    }

    @Test
    void whenThereIsAMeterRegistryThenThereAreMeters() {
        runner.run(context ->
                assertThat(context).doesNotHaveBean(EngineMeters.class).doesNotHaveBean(CallObserver.class));
        runner.withBean(SimpleMeterRegistry.class)
                .run(context ->
                        assertThat(context).hasSingleBean(EngineMeters.class).hasSingleBean(CallObserver.class));
    }

    @Test
    void whenMicrometerIsAbsentThenTheContextStarts() {
        runner.withUserConfiguration(Serving.class)
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaMetricsAutoConfiguration.class)
                        .hasSingleBean(RdmaServer.class));
    }

    @Test
    void shouldApplyKryoCustomizersToCodecs() {
        List<String> applied = new ArrayList<>();
        runner.withUserConfiguration(Scanned.class)
                .withBean(KryoCustomizer.class, () -> kryo -> applied.add("applied"))
                .run(context -> {
                    assertThat(context.getBean(Orders.class)).isNotNull();
                    assertThat(applied).isNotEmpty();
                });
    }

    @Test
    void whenTwoBeansImplementAServiceThenTheStartFails() {
        runner.withUserConfiguration(Serving.class)
                .withBean("other", Orders.class, OrdersImpl::new)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(org.springframework.context.ApplicationContextException.class)
                        .rootCause()
                        .isInstanceOf(RdmaInvalidServiceException.class)
                        .hasMessageContaining("'localOrders'")
                        .hasMessageContaining("'other'"));
    }

    @Test
    void whenATargetIsUnknownThenTheFailureNamesIt() {
        runner.run(context -> assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> context.getBean(RdmaClients.class).create(Orders.class, "third")))
                .isInstanceOf(RdmaConfigurationException.class)
                .hasMessageContaining("rdma.client.targets.third.address"));
    }

    @Test
    void whenAContextWasStoppedThenItStartsAgain() {
        runner.withUserConfiguration(Serving.class).run(context -> {
            for (int round = 0; round < 3; round++) {
                int port = context.getEnvironment().getRequiredProperty("local.rdma.server.port", Integer.class);
                assertThat(context.getBean(RdmaServer.class).address().getPort())
                        .isEqualTo(port);
                context.stop();
                assertThat(context.getBean(RdmaRuntime.class).isRunning()).isFalse();
                context.start();
                assertThat(context.getBean(RdmaRuntime.class).isRunning()).isTrue();
            }
        });
    }

    @Test
    void shouldLogOneLineAtStart() {
        runner.withUserConfiguration(Serving.class)
                .run(context -> assertThat(context.getBean(RdmaStartupLog.class).line())
                        .contains("RDMA on soft0 of provider soft")
                        .contains("GID ::ffff:127.0.0.1, path MTU 4096 bytes, registered memory up to 128 MB")
                        .contains("services at 127.0.0.1:")
                        .endsWith(": test.Orders")
                        .doesNotContain("\n"));
        runner.run(context ->
                assertThat(context.getBean(RdmaStartupLog.class).line()).endsWith(", no services"));
    }
}
