package io.rdmarpc.service.observation;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.observation.RdmaMeter.Kind;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EngineMetersTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private NicContext nic;
    private UdTransport ud;
    private RcTransport rc;
    private RdmaRuntime runtime;
    private EngineMeters meters;

    @BeforeEach
    void open() {
        nic = NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
        ud = UdTransport.open(nic, UdConfig.DEFAULTS);
        rc = RcTransport.open(nic, RcConfig.DEFAULTS);
        runtime = RdmaRuntime.create(
                nic,
                ud,
                rc,
                new PollingThread("rdma-poll-test", 10, Duration.ofMillis(1)),
                MemoryConfig.DEFAULTS,
                RpcConfig.DEFAULTS);
        runtime.start();
        meters = new EngineMeters(runtime, nic);
    }

    @AfterEach
    void close() {
        runtime.close();
        rc.close();
        ud.close();
        nic.close();
    }

    @Test
    void whenBoundThenEveryMeterOfTheListIsRegistered() {
        meters.onTarget("orders");
        meters.bindTo(registry);
        Set<String> listed = Arrays.stream(RdmaMeter.values())
                .filter(meter -> meter.kind() != Kind.TIMER)
                .filter(meter -> !meter.name().startsWith("REMOTE_"))
                .map(RdmaMeter::meterName)
                .collect(Collectors.toSet());
        assertThat(registry.getMeters().stream()
                        .map(meter -> meter.getId().getName())
                        .collect(Collectors.toSet()))
                .isEqualTo(listed);
    }

    @Test
    void whenBoundThenEachMeterMatchesTheList() {
        meters.onTarget("orders");
        meters.bindTo(registry);
        assertThat(registry.getMeters()).isNotEmpty().allSatisfy(meter -> {
            RdmaMeter listed = listed(meter.getId().getName());
            assertThat(meter.getId().getTags().stream().map(Tag::getKey))
                    .containsExactlyInAnyOrderElementsOf(listed.tags());
            assertThat(meter.getId().getDescription()).isEqualTo(listed.description());
            assertThat(meter.getId().getBaseUnit()).isEqualTo(listed.unit().isEmpty() ? null : listed.unit());
            assertThat(meter.getId().getType())
                    .isEqualTo(listed.kind() == Kind.COUNTER ? Meter.Type.COUNTER : Meter.Type.GAUGE);
        });
    }

    private static RdmaMeter listed(String name) {
        return Arrays.stream(RdmaMeter.values())
                .filter(meter -> meter.meterName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whenATargetIsAddedLaterThenEveryRegistryGetsItsMeters() {
        MeterRegistry other = new SimpleMeterRegistry();
        meters.bindTo(registry);
        meters.bindTo(other);
        meters.onTarget("late");
        meters.onTarget("late");
        for (MeterRegistry each : List.of(registry, other)) {
            assertThat(each.find("rdma.sessions.round.trip.time")
                            .tag("rdma.target", "late")
                            .gauges())
                    .hasSize(1);
            assertThat(each.find("rdma.sessions").tag("rdma.target", "late").gauges())
                    .hasSize(3);
        }
    }

    @Test
    void whenReadThenEachMeterHasAValue() {
        meters.onTarget("orders");
        meters.bindTo(registry);
        Set<String> broken = new HashSet<>();
        registry.getMeters()
                .forEach(meter -> meter.measure().forEach(measurement -> {
                    if (Double.isNaN(measurement.getValue())) {
                        broken.add(meter.getId().getName());
                    }
                }));
        assertThat(broken).isEmpty();
        assertThat(registry.get("rdma.device.port.active").gauge().value()).isEqualTo(1);
        assertThat(registry.get("rdma.memory.max").gauge().value())
                .isEqualTo((double) MemoryConfig.DEFAULTS.maxBytes());
    }

    @Test
    void whenCallsAreRejectedForOverloadThenOnlyTheirOwnMeterCountsThem() {
        meters.bindTo(registry);

        assertThat(registry.find("rdma.engine.packets.dropped")
                        .tag("reason", "overload")
                        .functionCounter())
                .isNull();
        assertThat(registry.find("rdma.engine.calls.rejected").functionCounter())
                .isNotNull();
    }

    @Test
    void shouldHaveDescriptionsOfAtMost15Words() {
        assertThat(Arrays.stream(RdmaMeter.values()).map(RdmaMeter::description))
                .allMatch(description -> description.split(" ", -1).length <= 15);
    }

    @Test
    void shouldHaveUniqueNamesAndNonEmptyTags() {
        assertThat(Arrays.stream(RdmaMeter.values()).map(RdmaMeter::meterName)).doesNotHaveDuplicates();
        assertThat(Arrays.stream(RdmaMeter.values()).flatMap(meter -> meter.tags().stream()))
                .allMatch(not(String::isEmpty));
    }
}
