package io.rdmarpc.autoconfigure.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.RdmaConfigCustomizer;
import io.rdmarpc.autoconfigure.actuator.RdmaRemoteMemoryActuatorAutoConfiguration;
import io.rdmarpc.autoconfigure.actuator.RemoteMemoryEndpoint;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.memory.ReactiveRemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteWriteListener;
import io.rdmarpc.service.observation.RdmaMeter;
import io.rdmarpc.service.observation.RemoteMemoryMeters;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Auto-configuration of remote memory")
@Timeout(60)
class RdmaRemoteMemoryAutoConfigurationTest {

    private static final Duration LEASE = Duration.ofMinutes(5);

    private final ApplicationContextRunner off = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaClientAutoConfiguration.class,
                    RdmaServerAutoConfiguration.class,
                    RdmaRemoteMemoryAutoConfiguration.class,
                    RdmaRemoteMemoryActuatorAutoConfiguration.class))
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*",
                    "rdma.provider=soft",
                    "rdma.soft.addresses=127.0.0.1",
                    "rdma.server.address=127.0.0.1",
                    "rdma.server.port=0",
                    "rdma.server.shutdown.grace-period=1s",
                    "rdma.memory.max-size=128MB");
    private final ApplicationContextRunner runner = off.withPropertyValues("rdma.remote-memory.enabled=true");

    /** Two processes. The first one offers no service but lends memory. */
    private void withOwner(
            ApplicationContextRunner owner,
            BiConsumer<AssertableApplicationContext, AssertableApplicationContext> test) {
        owner.withPropertyValues("rdma.remote-memory.listen=true")
                .run(lending -> runner.withPropertyValues("rdma.client.targets.store.address=127.0.0.1:"
                                + lending.getEnvironment().getProperty("local.rdma.server.port"))
                        .run(using -> test.accept(lending, using)));
    }

    @Test
    @DisplayName("remote memory is disabled by default, and if RDMA is disabled")
    void whenItIsNotEnabledThenThereIsNone() {
        off.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(RemoteMemory.class)
                .doesNotHaveBean(RemoteMemoryTemplate.class));
        runner.withPropertyValues("rdma.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RemoteMemory.class));
    }

    @Test
    @DisplayName("templates exist and have the settings")
    void whenItIsEnabledThenThereAreTemplates() {
        runner.withPropertyValues(
                        "rdma.remote-memory.response-timeout=7s",
                        "rdma.remote-memory.lending.max-size=2MB",
                        "rdma.remote-memory.lending.max-size-per-peer=1MB",
                        "rdma.remote-memory.lending.max-regions-per-peer=3",
                        "rdma.remote-memory.lending.max-links-per-peer=2",
                        "rdma.remote-memory.lending.rights=read,write",
                        "rdma.remote-memory.lending.max-lease=5m",
                        "rdma.remote-memory.lending.grace-period=0s")
                .run(context -> {
                    assertThat(context)
                            .hasSingleBean(RemoteMemoryTemplate.class)
                            .hasSingleBean(ReactiveRemoteMemoryTemplate.class);
                    RemoteMemoryConfig config = context.getBean(RemoteMemoryConfig.class);
                    assertThat(config.responseTimeout()).isEqualTo(Duration.ofSeconds(7));
                    assertThat(config.device().device().provider()).isEqualTo("soft");
                    assertThat(config.limits())
                            .isEqualTo(new LendingLimits(
                                    2 << 20,
                                    1 << 20,
                                    3,
                                    2,
                                    Set.of(RemoteRight.READ, RemoteRight.WRITE),
                                    Duration.ofMinutes(5),
                                    Duration.ZERO));
                });
    }

    @Test
    @DisplayName("without settings the limits are the library's defaults")
    void whenNothingIsSetThenTheLibrarysDefaultsApply() {
        runner.run(context ->
                assertThat(context.getBean(RemoteMemoryConfig.class).limits()).isEqualTo(LendingLimits.DEFAULTS));
    }

    @Test
    @DisplayName("a customizer changes the settings, and beans of the application take precedence")
    void whenTheApplicationHasBeansThenTheyAreUsed() {
        runner.withUserConfiguration(Customized.class)
                .run(context -> assertThat(
                                context.getBean(RemoteMemoryConfig.class).responseTimeout())
                        .isEqualTo(Duration.ofSeconds(3)));
        runner.withUserConfiguration(OwnTemplate.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(RemoteMemoryTemplate.class)
                        .hasBean("mine"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        @Bean
        RdmaConfigCustomizer<RemoteMemoryConfig> impatient() {
            return config -> config.withResponseTimeout(Duration.ofSeconds(3));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTemplate {

        @Bean
        RemoteMemoryTemplate mine(RemoteMemory memory) {
            return new RemoteMemoryTemplate(
                    memory,
                    target -> {
                        throw new IllegalStateException("no targets");
                    },
                    new io.rdmarpc.service.memory.WriteListeners());
        }
    }

    @Test
    @DisplayName("Reactor, Actuator and Micrometer are optional")
    void whenLibrariesAreAbsentThenTheOtherBeansWork() {
        runner.withClassLoader(new FilteredClassLoader(Mono.class, MeterRegistry.class, Health.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RemoteMemoryTemplate.class)
                        .doesNotHaveBean("reactiveRemoteMemoryTemplate"));
    }

    @Test
    @DisplayName("a process without services lends memory if it listens; exceeding its quota is reported")
    void whenAProcessOnlyLendsThenItListens() {
        withOwner(runner.withPropertyValues("rdma.remote-memory.lending.max-size=64KB"), (lending, using) -> {
            RemoteMemoryTemplate memory = using.getBean(RemoteMemoryTemplate.class);
            try (RemoteRegion region = memory.allocate("store", DataSize.ofKilobytes(64), LEASE)) {
                assertThat(memory.getAndAdd(region, 0, 1)).isZero();
                assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                        .isThrownBy(() -> memory.allocate("store", DataSize.ofBytes(1), LEASE))
                        .withMessageContaining("max-size 65536");
            }
        });
        runner.run(context -> assertThat(context.getEnvironment().containsProperty("local.rdma.server.port"))
                .isFalse());
    }

    @Test
    @DisplayName("an unknown target is rejected by name, and a registry address without a resolver too")
    void whenATargetIsUnknownThenItIsReported() {
        runner.withPropertyValues("rdma.client.targets.many.address=discovery:store")
                .run(context -> {
                    RemoteMemoryTemplate memory = context.getBean(RemoteMemoryTemplate.class);
                    assertThatExceptionOfType(RdmaConfigurationException.class)
                            .isThrownBy(() -> memory.allocate("nowhere", DataSize.ofBytes(8), LEASE))
                            .withMessageContaining("nowhere");
                    assertThatExceptionOfType(RdmaConfigurationException.class)
                            .isThrownBy(() -> memory.allocate("many", DataSize.ofBytes(8), LEASE));
                });
    }

    @Test
    @DisplayName("the endpoint shows regions, grants and leases, but no tokens")
    void whenMemoryIsLentThenTheEndpointShowsIt() {
        withOwner(runner, (lending, using) -> {
            RemoteMemoryTemplate memory = using.getBean(RemoteMemoryTemplate.class);
            RemoteMemoryTemplate owners = lending.getBean(RemoteMemoryTemplate.class);
            try (RemoteRegion region = memory.allocate("store", DataSize.ofBytes(64), LEASE);
                    LocalRegion own = owners.allocateLocal(DataSize.ofBytes(32))) {
                owners.grant(own.slice(), Set.of(RemoteRight.READ), LEASE);
                JsonNode here = JsonMapper.shared()
                        .valueToTree(lending.getBean(RemoteMemoryEndpoint.class).report());
                JsonNode there = JsonMapper.shared()
                        .valueToTree(using.getBean(RemoteMemoryEndpoint.class).report());
                assertThat(here.at("/lent/0/bytes").asLong()).isEqualTo(region.length());
                assertThat(here.at("/lent/0/rights").toString()).isEqualTo("[\"read\",\"write\",\"atomic\"]");
                assertThat(here.at("/lent/0/remainingMillis").asLong()).isPositive();
                assertThat(here.at("/grants/0/bytes").asLong()).isEqualTo(32);
                assertThat(here.at("/grants/0/opened").asBoolean(true)).isFalse();
                assertThat(here.at("/statistics/lending/allocated").asLong()).isOne();
                assertThat(there.at("/held/0/peer").asString()).isEqualTo("127.0.0.1");
                assertThat(there.at("/held/0/id").asLong())
                        .isEqualTo(here.at("/lent/0/id").asLong());
            }
        });
    }

    @Test
    @DisplayName("health shows lent memory, and is down after close")
    void whenMemoryIsClosedThenHealthIsDown() {
        runner.run(context -> {
            HealthIndicator indicator = context.getBean("rdmaMemoryHealthContributor", HealthIndicator.class);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            assertThat(indicator.health().getDetails())
                    .containsEntry("device", "soft0")
                    .containsEntry("lentRegions", 0)
                    .doesNotContainKey("problem");
            context.getBean(RemoteMemory.class).close();
            assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(indicator.health().getDetails().get("problem"))
                    .asString()
                    .contains("closed");
        });
        runner.withPropertyValues("management.health.rdma-memory.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("rdmaMemoryHealthContributor"));
    }

    @Test
    @DisplayName("meters are those of the list, with its tags, and have values")
    void whenMemoryIsUsedThenMetersHaveValues() {
        withOwner(runner, (lending, using) -> {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new RemoteMemoryMeters(using.getBean(RemoteMemory.class)).bindTo(registry);
            SimpleMeterRegistry owners = new SimpleMeterRegistry();
            new RemoteMemoryMeters(lending.getBean(RemoteMemory.class)).bindTo(owners);
            RemoteMemoryTemplate memory = using.getBean(RemoteMemoryTemplate.class);
            try (RemoteRegion region = memory.allocate("store", DataSize.ofBytes(64), LEASE)) {
                memory.write(region, 0, new byte[16]);
                assertThat(registry.get("rdma.remote.memory.regions")
                                .tag("role", "client")
                                .gauge()
                                .value())
                        .isEqualTo(1);
                assertThat(owners.get("rdma.remote.memory.allocated").gauge().value())
                        .isEqualTo(64);
            }
            assertThat(registry.get("rdma.remote.memory.bytes")
                            .tag("operation", "write")
                            .functionCounter()
                            .count())
                    .isEqualTo(16);
            assertThat(owners.get("rdma.remote.memory.lease.events")
                            .tag("event", "freed")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.getMeters().stream()
                            .map(meter -> meter.getId().getName())
                            .collect(Collectors.toSet()))
                    .isEqualTo(Arrays.stream(RdmaMeter.values())
                            .filter(meter -> meter.name().startsWith("REMOTE_"))
                            .map(RdmaMeter::meterName)
                            .collect(Collectors.toSet()));
            assertThat(registry.getMeters())
                    .allSatisfy(meter -> assertThat(meter.getId().getTags())
                            .extracting(tag -> tag.getKey())
                            .containsExactlyInAnyOrderElementsOf(
                                    listed(meter.getId().getName()).tags()));
        });
        runner.withBean(SimpleMeterRegistry.class)
                .run(context -> assertThat(context).hasSingleBean(RemoteMemoryMeters.class));
    }

    private static RdmaMeter listed(String name) {
        return Arrays.stream(RdmaMeter.values())
                .filter(meter -> meter.meterName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("an invalid listener fails the start with a message")
    void whenAListenerIsInvalidThenTheStartFails() {
        runner.withBean(WantsText.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaInvalidServiceException.class)
                        .hasMessageContaining("has a parameter of the unsupported type java.lang.String"));
        runner.withBean(ListensNowhere.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaInvalidServiceException.class)
                        .hasMessageContaining("region 'nowhere', but no such bean exists"));
    }

    static final class WantsText {

        @RemoteWriteListener
        void onWrite(String text) {
            assertThat(text).isNull();
        }
    }

    static final class ListensNowhere {

        @RemoteWriteListener(region = "nowhere")
        void onWrite() {
            // No peer writes there.
        }
    }
}
