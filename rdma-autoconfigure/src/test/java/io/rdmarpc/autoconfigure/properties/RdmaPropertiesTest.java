package io.rdmarpc.autoconfigure.properties;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.engine.EngineConfigs;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.service.client.RetrySettings;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.validation.ObjectError;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RdmaPropertiesTest {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(BoundSettings.Configured.class);

    private void with(Consumer<RdmaProperties> assertions, String... properties) {
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            assertions.accept(context.getBean(RdmaProperties.class));
        });
    }

    private void rejected(Consumer<List<ObjectError>> assertions, String... properties) {
        runner.withPropertyValues(properties)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                BindValidationException.class,
                                e -> assertions.accept(e.getValidationErrors().getAllErrors())));
    }

    @Test
    void shouldHaveTheEnginesDefaults() {
        with(properties -> {
            assertThat(EngineConfigs.nic(properties)).isEqualTo(NicConfig.DEFAULTS);
            assertThat(EngineConfigs.ud(properties.ud())).isEqualTo(UdConfig.DEFAULTS);
            assertThat(EngineConfigs.rc(properties.rc())).isEqualTo(RcConfig.DEFAULTS);
            assertThat(EngineConfigs.memory(properties.memory())).isEqualTo(MemoryConfig.DEFAULTS);
            assertThat(EngineConfigs.rpc(properties, null))
                    .isEqualTo(RpcConfig.DEFAULTS.toBuilder()
                            .load(new LoadLimits(0, Duration.ZERO, 256))
                            .build());
            assertThat(properties.client().retry().settings()).isEqualTo(RetrySettings.DEFAULTS);
        });
    }

    @Test
    void shouldPassAllSettingsToTheEngine() {
        with(
                properties -> {
                    NicConfig nic = EngineConfigs.nic(properties);
                    assertThat(nic.provider()).isEqualTo("soft");
                    assertThat(nic.device()).isEqualTo("mlx5_0");
                    assertThat(nic.port()).isEqualTo(2);
                    assertThat(nic.gidIndex()).isEqualTo(3);
                    assertThat(nic.mtuBytes()).isEqualTo(2048);
                    assertThat(nic.options())
                            .containsEntry("soft.addresses", "127.0.0.1,127.0.0.2")
                            .containsEntry("soft.port", "0")
                            .containsEntry("soft.faults.loss", "0.01")
                            .containsEntry("soft.faults.delay-duration", "50us")
                            .containsEntry("soft.faults.seed", "7")
                            .containsEntry("soft.faults.script", "drop 3 ACK; delay 2 SEND 5ms")
                            .containsEntry("soft.faults.bandwidth", "100Mbit")
                            .containsEntry("soft.pcap", "rdma-%p.pcap")
                            .containsEntry("soft.shared-memory.enabled", "false")
                            .containsEntry("soft.shared-memory.ring-size", "65536")
                            .containsEntry("soft.shared-memory.max-inbound-size", "1048576")
                            .hasSize(11);
                    assertThat(EngineConfigs.ud(properties.ud())).isEqualTo(new UdConfig(100, 200, 64, 8, 4));
                    assertThat(EngineConfigs.rc(properties.rc()))
                            .isEqualTo(new RcConfig(10, 4, 12, 3, 32, Duration.ofSeconds(9)));
                    assertThat(EngineConfigs.memory(properties.memory()))
                            .isEqualTo(new MemoryConfig(512 << 20, 8 << 20, true));
                    assertThat(EngineConfigs.rpc(properties, null))
                            .isEqualTo(new RpcConfig(
                                    4,
                                    0,
                                    1 << 20,
                                    Duration.ofSeconds(2),
                                    100 << 20,
                                    new RetransmitConfig(
                                            Duration.ofMillis(5), Duration.ofMillis(1), Duration.ofMillis(50), 3),
                                    new HeartbeatConfig(Duration.ofMillis(100), Duration.ofSeconds(1)),
                                    new TrafficConfig(false, true),
                                    new LoadLimits(0, Duration.ZERO, 64),
                                    new ControlConfig(
                                            100,
                                            10,
                                            5,
                                            1 << 20,
                                            Duration.ofMinutes(1),
                                            Duration.ofSeconds(5),
                                            new ReconnectConfig(
                                                    false,
                                                    Duration.ofMillis(10),
                                                    Duration.ofMillis(50),
                                                    Duration.ofSeconds(7),
                                                    true),
                                            ControlSecurity.NONE)));
                    assertThat(properties.client().targets().get("a").timeout()).isEqualTo(Duration.ofMillis(250));
                    assertThat(properties.server().shutdown().gracePeriod()).isEqualTo(Duration.ofSeconds(-1));
                },
                "rdma.ud.poll-batch=8",
                "rdma.ud.post-batch=4",
                "rdma.rc.read-budget=32",
                "rdma.rc.read-timeout=9s",
                "rdma.server.session-token-lifetime=5s",
                "rdma.server.max-concurrent-calls=64",
                "rdma.server.max-sessions=100",
                "rdma.server.max-sessions-per-peer=10",
                "rdma.server.max-pending-handshakes=5",
                "rdma.server.max-lent-per-peer=1MB",
                "rdma.client.session-idle-timeout=1m",
                "rdma.client.reconnect.enabled=false",
                "rdma.client.reconnect.initial-interval=10ms",
                "rdma.client.reconnect.max-interval=50ms",
                "rdma.client.reconnect.max-elapsed-time=7s",
                "rdma.client.reconnect.shuffle-addresses=true",
                "rdma.provider=soft",
                "rdma.device.name=mlx5_0",
                "rdma.device.port=2",
                "rdma.device.gid-index=3",
                "rdma.device.mtu=2KB",
                "rdma.soft.addresses=127.0.0.1,127.0.0.2",
                "rdma.soft.port=0",
                "rdma.soft.faults.loss=0.01",
                "rdma.soft.faults.delay-duration=50us",
                "rdma.soft.faults.seed=7",
                "rdma.soft.faults.script=drop 3 ACK; delay 2 SEND 5ms",
                "rdma.soft.faults.bandwidth=100Mbit",
                "rdma.soft.pcap=rdma-%p.pcap",
                "rdma.soft.shared-memory.enabled=false",
                "rdma.soft.shared-memory.ring-size=64KB",
                "rdma.soft.shared-memory.max-inbound-size=1MB",
                "rdma.ud.send-depth=100",
                "rdma.ud.receive-depth=200",
                "rdma.ud.inline-size=64B",
                "rdma.ud.batching=false",
                "rdma.ud.congestion-control=true",
                "rdma.rc.send-depth=10",
                "rdma.rc.max-reads=4",
                "rdma.rc.ack-timeout-exponent=12",
                "rdma.rc.retry-count=3",
                "rdma.memory.max-size=512MB",
                "rdma.memory.chunk-size=8MB",
                "rdma.memory.max-lent-per-session=100MB",
                "rdma.memory.huge-pages=true",
                "rdma.client.max-in-flight=4",
                "rdma.client.max-queued=0",
                "rdma.max-message-size=1MB",
                "rdma.retransmit.initial-timeout=5ms",
                "rdma.retransmit.min-timeout=1ms",
                "rdma.retransmit.max-timeout=50ms",
                "rdma.retransmit.max-attempts=3",
                "rdma.heartbeat.interval=100ms",
                "rdma.heartbeat.timeout=1s",
                "rdma.connect-timeout=2s",
                "rdma.client.targets.a.address=x:1",
                "rdma.client.targets.a.timeout=250ms",
                "rdma.server.shutdown.grace-period=-1s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"256", "512B", "1024", "1KB", "2KB", "4096", "4KB"})
    void shouldAcceptTheMtuAsASize(String mtu) {
        with(properties -> assertThat(properties.device().mtu()).isNotNull(), "rdma.device.mtu=" + mtu);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rdma.device.mtu|1500|a power of two from 256B to 4096B: use 256B, 512B, 1KB, 2KB or 4KB",
                "rdma.device.mtu|128|a power of two from 256B to 4096B",
                "rdma.device.mtu|8KB|a power of two from 256B to 4096B",
                "rdma.device.port|0|ports of a device count from 1",
                "rdma.device.gid-index|-1|remove the setting to prefer RoCE v2 with IPv4",
                "rdma.provider||use auto, ibverbs or soft",
                "rdma.client.max-in-flight|257|must be 1 to 256",
                "rdma.client.max-queued|-1|must be 0 or more",
                "rdma.max-message-size|1KB|must be 4KB to 1GB",
                "rdma.max-message-size|2GB|must be 4KB to 1GB",
                "rdma.memory.chunk-size|3MB|must be a power of two",
                "rdma.memory.max-size|1KB|must be 1MB or more",
                "rdma.ud.send-depth|0|must be 1 or more",
                "rdma.ud.receive-depth|0|must be 1 or more",
                "rdma.rc.retry-count|8|must be 0 to 7",
                "rdma.rc.ack-timeout-exponent|0|must be 1 to 31",
                "rdma.polling.threads|0|must be auto or 1 to 64",
                "rdma.polling.threads|65|must be auto or 1 to 64",
                "rdma.polling.threads|-1|must be auto or 1 to 64",
                "rdma.polling.threads|many|must be auto or 1 to 64",
                "rdma.ud.poll-batch|0|must be 1 to 256",
                "rdma.ud.post-batch|257|must be 1 to 256",
                "rdma.rc.read-budget|0|must be 1 to 4096",
                "rdma.rc.read-timeout|99ms|must be 100 ms to 1 hour",
                "rdma.polling.stall-threshold|0|must be longer than 0",
                "rdma.server.session-token-lifetime|-1s|must be 0 or longer",
                "rdma.polling.max-sleep|0ms|must be longer than 0: use a duration such as 20ms or 2s",
                "rdma.heartbeat.interval|-1s|must be longer than 0",
                "rdma.connect-timeout|0|must be longer than 0",
                "rdma.client.timeout|0|must be longer than 0",
                "rdma.server.port|70000|must be a TCP port",
                "rdma.server.max-concurrent-calls|0|must be 1 or more",
                "rdma.soft.port|70000|must be a UDP port",
            })
    void whenAValueIsInvalidThenItIsRejectedWithItsPropertyAndARemedy(String property, String value, String words) {
        rejected(
                errors -> assertThat(errors).singleElement().satisfies(error -> {
                    assertThat(error.toString()).contains(lastOf(property));
                    assertThat(error.getDefaultMessage()).contains(words);
                }),
                property + "=" + (value == null ? "" : value));
    }

    @Test
    void whenThreadsAreBoundToProcessorsThenTheirNumberIsRequired() {
        rejected(
                errors -> assertThat(errors).singleElement().satisfies(error -> {
                    assertThat(error.toString()).contains("'polling.threads'");
                    assertThat(error.getDefaultMessage())
                            .contains("must be a number if rdma.polling.cpus is set: use 2");
                }),
                "rdma.polling.cpus=2,3");
    }

    /** Returns the name in the error: {@code chunk-size} is {@code chunkSize}. */
    private static String lastOf(String property) {
        return Pattern.compile("-(.)")
                .matcher(property.substring(property.lastIndexOf('.') + 1))
                .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
    }

    @Test
    void shouldValidateTargets() {
        runner.withPropertyValues("rdma.client.targets.a.timeout=2s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("must be host:port, such as orders.example.com:7471"));
    }

    @Test
    void whenATargetHasAListOfAddressesThenItNeedsNoAddress() {
        with(
                properties -> assertThat(properties.client().targets().get("a").addresses())
                        .containsExactly("x:1", "y:2"),
                "rdma.client.targets.a.addresses=x:1,y:2");
    }

    @Test
    void whenSeveralSettingsAreInvalidThenAllAreReported() {
        rejected(
                errors -> assertThat(errors).hasSize(3),
                "rdma.client.max-in-flight=257",
                "rdma.ud.poll-batch=0",
                "rdma.client.timeout=0s");
    }

    @Test
    void whenASettingOfATargetIsInvalidThenTheTargetIsNamed() {
        runner.withPropertyValues("rdma.client.targets.a.address=x:1", "rdma.client.targets.a.timeout=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("client.targets[a].timeout")
                        .hasMessageContaining("must be longer than 0"));
    }

    @Test
    void whenThereIsNoBeanValidationThenSettingsAreValidated() {
        runner.withClassLoader(new FilteredClassLoader("jakarta.validation", "org.hibernate.validator"))
                .withPropertyValues("rdma.client.max-in-flight=257")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("must be 1 to 256"));
    }

    @Test
    void whenASettingIsEmptyThenTheDefaultApplies() {
        with(
                properties -> assertThat(properties.connectTimeout()).isEqualTo(Duration.ofSeconds(5)),
                "rdma.connect-timeout=");
    }

    @Test
    void shouldDescribeEveryPropertyInTheMetadata() throws IOException {
        try (InputStream stream = Objects.requireNonNull(
                getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            JsonNode metadata = JsonMapper.shared().readTree(stream);
            Map<String, String> descriptions = new TreeMap<>();
            for (JsonNode property : metadata.path("properties")) {
                if (property.path("deprecation").isMissingNode()) {
                    descriptions.put(
                            property.get("name").asString(),
                            property.path("description").asString(""));
                }
            }
            assertThat(descriptions)
                    .hasSizeGreaterThan(40)
                    .containsKeys(
                            "rdma.soft.faults.delay-duration",
                            "rdma.server.shutdown.grace-period",
                            "rdma.client.targets")
                    .allSatisfy((name, description) -> assertThat(description).isNotEmpty());
            assertThat(metadata.path("hints").toString()).contains("An RDMA device using libibverbs.");
        }
    }
}
