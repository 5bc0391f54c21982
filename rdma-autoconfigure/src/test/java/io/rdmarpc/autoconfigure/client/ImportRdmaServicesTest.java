package io.rdmarpc.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.service.client.RdmaProxy;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.server.RdmaServer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Timeout(60)
@DisplayName("Clients of @ImportRdmaServices")
class ImportRdmaServicesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class, RdmaClientAutoConfiguration.class, RdmaServerAutoConfiguration.class))
            .withPropertyValues(
                    "rdma.provider=soft",
                    "rdma.soft.addresses=127.0.0.1",
                    "rdma.server.address=127.0.0.1",
                    "rdma.server.port=0",
                    "rdma.memory.max-size=128MB",
                    "rdma.client.targets.billing.address=billing:7471",
                    "rdma.client.targets.archive.address=archive:7471");

    /** Injected without a name, and by each name. */
    record Caller(Orders orders) {}

    record Callers(
            Orders orders,
            @RdmaClient("billing") Orders billing,
            @RdmaClient("archive") Orders archive) {}

    @Configuration(proxyBeanMethods = false)
    @ImportRdmaServices(types = Orders.class, target = "billing")
    static class OneType {

        @Bean
        Caller caller(Orders orders) {
            return new Caller(orders);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRdmaServices(types = Orders.class, target = "archive")
    @ImportRdmaServices(basePackageClasses = Orders.class, target = "billing")
    static class TwoTargets {

        @Bean
        Callers callers(Orders orders, @RdmaClient("billing") Orders billing, @RdmaClient("archive") Orders archive) {
            return new Callers(orders, billing, archive);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Orders.class)
    @ImportRdmaServices(types = Orders.class, target = "archive")
    static class ImportedAndScanned {

        @Bean
        Callers callers(Orders orders, @RdmaClient("billing") Orders billing, @RdmaClient("archive") Orders archive) {
            return new Callers(orders, billing, archive);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRdmaServices("io.rdmarpc.integration.model")
    static class OnePackage {}

    @Configuration(proxyBeanMethods = false)
    @ImportRdmaServices(types = Orders.class)
    static class LocalToo {

        @Bean
        Orders localOrders() {
            return new OrdersImpl();
        }

        @Bean
        Caller caller(Orders orders) {
            return new Caller(orders);
        }

        @Bean
        Supplier<Orders> remote(@RdmaClient Orders orders) {
            return () -> orders;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRdmaServices(types = Runnable.class)
    static class NoService {}

    @Test
    void whenATypeIsImportedForATargetThenItsClientIsInjectedWithoutAName() {
        runner.withUserConfiguration(OneType.class)
                .run(context -> assertThat(context.getBean(Caller.class).orders())
                        .isInstanceOf(RdmaProxy.class)
                        .asString()
                        .contains("billing"));
    }

    @Test
    void whenAServiceIsImportedTwiceThenTheFirstIsInjectedWithoutAName() {
        runner.withUserConfiguration(TwoTargets.class).run(context -> {
            Callers callers = context.getBean(Callers.class);
            assertThat(callers.orders()).isSameAs(callers.archive()).asString().contains("archive");
            assertThat(callers.billing()).asString().contains("billing");
        });
    }

    @Test
    void whenAServiceIsImportedAndScannedThenTheImportTakesPrecedence() {
        runner.withUserConfiguration(ImportedAndScanned.class).run(context -> {
            Callers callers = context.getBean(Callers.class);
            assertThat(callers.orders()).isSameAs(callers.archive());
            assertThat(callers.billing()).asString().contains("billing");
        });
    }

    @Test
    void whenAPackageIsImportedThenItsServicesHaveClients() {
        runner.withUserConfiguration(OnePackage.class)
                .run(context -> assertThat(context).hasSingleBean(Feed.class).doesNotHaveBean(Orders.class));
    }

    @Test
    void whenThereIsALocalBeanThenTheClientIsInjectedByQualifierOnly() {
        runner.withUserConfiguration(LocalToo.class).run(context -> {
            assertThat(context.getBean(Caller.class).orders()).isInstanceOf(OrdersImpl.class);
            assertThat(((Supplier<?>) context.getBean("remote")).get()).isInstanceOf(RdmaProxy.class);
            assertThat(context.getBean(RdmaServer.class).services()).containsExactly("test.Orders");
        });
    }

    @Test
    void whenTheTypeIsNotAServiceThenTheStartFailsAndNamesIt() {
        runner.withUserConfiguration(NoService.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(RdmaInvalidServiceException.class)
                        .hasMessageContaining(Runnable.class.getName())
                        .hasMessageContaining(NoService.class.getName()));
    }

    @Test
    void whenClientsAreDisabledThenNoneIsImported() {
        runner.withUserConfiguration(OnePackage.class)
                .withPropertyValues("rdma.client.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Feed.class));
    }
}
