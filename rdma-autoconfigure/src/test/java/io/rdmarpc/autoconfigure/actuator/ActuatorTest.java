package io.rdmarpc.autoconfigure.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("RDMA in the Actuator")
@Timeout(60)
class ActuatorTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaClientAutoConfiguration.class,
                    RdmaServerAutoConfiguration.class,
                    RdmaHealthContributorAutoConfiguration.class,
                    RdmaInfoContributorAutoConfiguration.class,
                    RdmaEndpointAutoConfiguration.class))
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*",
                    "rdma.provider=soft",
                    "rdma.soft.addresses=127.0.0.1",
                    "rdma.server.address=127.0.0.1",
                    "rdma.server.port=0",
                    "rdma.server.shutdown.grace-period=1s",
                    "rdma.memory.max-size=128MB");

    @Configuration(proxyBeanMethods = false)
    static class Serving {

        @Bean
        Orders localOrders() {
            return new OrdersImpl();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Orders.class)
    static class Scanned {}

    /** Runs with a server and a client that has called it. */
    private void withSession(Consumer<AssertableApplicationContext> client) {
        runner.withUserConfiguration(Serving.class)
                .run(server -> runner.withUserConfiguration(Scanned.class)
                        .withPropertyValues("rdma.client.targets.default.address=127.0.0.1:"
                                + server.getEnvironment().getProperty("local.rdma.server.port"))
                        .run(context -> {
                            assertThat(context.getBean(Orders.class).add(1, 2)).isEqualTo(3);
                            client.accept(context);
                        }));
    }

    private static Health health(AssertableApplicationContext context) {
        return context.getBean(RdmaHealthIndicator.class).health();
    }

    @Test
    void whenDeviceAndThreadsWorkThenHealthIsUpWithTheDevice() {
        runner.run(context -> {
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("provider", "soft")
                    .containsEntry("device", "soft0")
                    .containsEntry("pathMtu", 4096)
                    .containsEntry("targets", Map.of())
                    .doesNotContainKey("problem");
        });
    }

    @Test
    void whenTheEnginesAreStoppedThenHealthIsOutOfService() {
        runner.run(context -> {
            context.stop();
            assertThat(health(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            context.start();
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void whenAThreadIsStalledThenHealthIsDownAndNamesIt() {
        // Even a working thread has run no duty cycle within the last nanosecond.
        runner.withPropertyValues("rdma.polling.stall-threshold=1ns").run(context -> {
            assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            assertThat(health(context).getDetails().get("problem"))
                    .asString()
                    .contains("rdma-poll-soft0 has run no duty cycle for");
        });
    }

    @Test
    void whenAnEngineHasFailedThenHealthIsDownWithTheReason() {
        runner.run(context -> {
            EngineSnapshot engine =
                    context.getBean(RdmaRuntime.class).engineSnapshots().getFirst();
            assertThat(RdmaHealthIndicator.problem(engine, Duration.ofMinutes(1)))
                    .isEmpty();
            EngineSnapshot failed = new EngineSnapshot(
                    engine.thread(),
                    engine.threadAlive(),
                    "the engine failed and is started anew: java.lang.InternalError",
                    engine.restarts(),
                    engine.sinceLastCycle(),
                    engine.udQueuePair(),
                    engine.engine(),
                    engine.traffic(),
                    engine.activity());
            assertThat(RdmaHealthIndicator.problem(failed, Duration.ofMinutes(1)))
                    .isEqualTo("the engine failed and is started anew: java.lang.InternalError");
        });
    }

    @Test
    void whenAPeerIsUnreachableThenHealthIsUp() {
        runner.withUserConfiguration(Scanned.class)
                .withPropertyValues("rdma.client.targets.default.address=127.0.0.1:1", "rdma.client.timeout=100ms")
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> orders.add(1, 2)))
                            .isNotNull();
                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(health(context).getDetails().get("targets"))
                            .isEqualTo(Map.of("default", Map.of("open", 0L)));
                });
    }

    @Test
    void whenASessionIsOpenThenHealthShowsItAtItsTarget() {
        withSession(context -> assertThat(health(context).getDetails().get("targets"))
                .isEqualTo(Map.of("default", Map.of("open", 1L))));
    }

    @Test
    void whenTheIndicatorIsDisabledThenThereIsNone() {
        runner.withPropertyValues("management.health.rdma.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(RdmaHealthIndicator.class));
    }

    @Test
    void shouldContributeTheDeviceToInfo() {
        runner.run(context -> {
            Info.Builder info = new Info.Builder();
            context.getBean(InfoContributor.class).contribute(info);
            assertThat(info.build().getDetails().get("rdma"))
                    .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                    .containsEntry("provider", "soft")
                    .containsEntry("device", "soft0")
                    .containsEntry("gid", "::ffff:127.0.0.1");
        });
    }

    @Test
    void shouldDescribeSessionsDevicesAndClients() {
        withSession(context -> {
            JsonNode report = JsonMapper.shared()
                    .valueToTree(context.getBean(RdmaEndpoint.class).report());
            assertThat(report.at("/device/provider").asString()).isEqualTo("soft");
            assertThat(report.at("/device/limits/workRequests").asInt()).isPositive();
            assertThat(report.at("/device/counters/received").asLong()).isPositive();
            assertThat(report.at("/engines/0/thread").asString()).isEqualTo("rdma-poll-soft0");
            assertThat(report.at("/engines/0/udQueuePair").asInt()).isPositive();
            assertThat(report.at("/scaling/active").asInt()).isOne();
            assertThat(report.at("/scaling/open").asInt()).isOne();
            assertThat(report.at("/scaling/max").asInt())
                    .isEqualTo(PollingConfig.maxThreadsFor(Runtime.getRuntime().availableProcessors()));
            assertThat(report.at("/sessions/0/target").asString()).isEqualTo("default");
            assertThat(report.at("/sessions/0/state").asString()).isEqualTo("open");
            assertThat(report.at("/sessions/0/negotiated/window").asInt()).isEqualTo(8);
            assertThat(report.at("/sessions/0/roundTrips/samples").asInt()).isPositive();
            assertThat(report.at("/memory/limitBytes").asLong()).isEqualTo(128 << 20);
            assertThat(report.at("/clients/0/service").asString()).isEqualTo(Orders.class.getName());
            assertThat(report.at("/clients/0/connected").asBoolean()).isTrue();
            assertThat(report.at("/rejections/version").asLong(-1)).isZero();
        });
    }

    @Test
    void shouldListServicesWithTheirMethods() {
        runner.withUserConfiguration(Serving.class).run(context -> {
            RdmaReport report = context.getBean(RdmaEndpoint.class).report();
            assertThat(report.services()).singleElement().satisfies(service -> {
                assertThat(service.name()).isEqualTo("test.Orders");
                assertThat(service.methods()).anyMatch(method -> method.contains("add("));
            });
        });
    }

    @Test
    void whenAnOperatorEndsASessionThenTheNextCallOpensAnother() {
        withSession(context -> {
            RdmaEndpoint endpoint = context.getBean(RdmaEndpoint.class);
            RdmaRuntime runtime = context.getBean(RdmaRuntime.class);
            long id = endpoint.report().sessions().getFirst().id();
            assertThat(endpoint.session(id).peer()).startsWith("127.0.0.1:");
            assertThat(endpoint.session(id + 1)).isNull();
            assertThat(endpoint.end(id + 1, RdmaEndpoint.Action.CLOSE)).isNull();
            assertThat(endpoint.end(id, RdmaEndpoint.Action.CLOSE)).isEqualTo(new RdmaEndpoint.Ended(id, "close"));
            Awaitility.await().until(() -> runtime.sessions().isEmpty());
            assertThat(context.getBean(Orders.class).add(1, 2)).isEqualTo(3);
        });
    }

    @Test
    void whenTheEndpointIsNotExposedThenThereIsNone() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(RdmaEndpoint.class));
        runner.withPropertyValues("management.endpoint.rdma.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(RdmaEndpoint.class));
    }

    @Test
    void whenRdmaIsDisabledThenThereAreNoActuatorBeans() {
        runner.withPropertyValues("rdma.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaHealthIndicator.class)
                        .doesNotHaveBean(RdmaEndpoint.class)
                        .doesNotHaveBean(InfoContributor.class));
    }
}
