package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.RdmaSecurityProperties;
import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import io.rdmarpc.autoconfigure.properties.RdmaSoftProperties;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.unit.DataSize;

/** The engine's settings from the application's. */
public final class EngineConfigs {

    private EngineConfigs() {}

    public static NicConfig nic(RdmaProperties properties) {
        RdmaProperties.Device device = properties.getDevice();
        Integer gidIndex = device.getGidIndex();
        DataSize mtu = device.getMtu();
        return new NicConfig(
                properties.getProvider(),
                device.getName(),
                device.getPort(),
                gidIndex == null ? NicConfig.AUTO_GID : gidIndex,
                mtu == null ? NicConfig.AUTO_MTU : (int) mtu.toBytes(),
                softOptions(properties.getSoft()));
    }

    /** By the names that the software RNIC knows them by: those of the properties. */
    private static Map<String, String> softOptions(RdmaSoftProperties soft) {
        Map<String, String> options = new HashMap<>();
        if (!soft.getAddresses().isEmpty()) {
            options.put("soft.addresses", String.join(",", soft.getAddresses()));
        }
        putIfSet(options, "soft.port", soft.getPort());
        putIfSet(options, "soft.pcap", soft.getPcap());
        if (!soft.getSharedMemory().isEnabled()) {
            options.put("soft.shared-memory.enabled", "false");
        }
        putIfSet(
                options,
                "soft.shared-memory.ring-size",
                bytes(soft.getSharedMemory().getRingSize()));
        putIfSet(
                options,
                "soft.shared-memory.max-inbound-size",
                bytes(soft.getSharedMemory().getMaxInboundSize()));
        RdmaSoftProperties.Faults faults = soft.getFaults();
        putIfSet(options, "soft.faults.loss", faults.getLoss());
        putIfSet(options, "soft.faults.duplicate", faults.getDuplicate());
        putIfSet(options, "soft.faults.reorder", faults.getReorder());
        putIfSet(options, "soft.faults.delay", faults.getDelay());
        putIfSet(options, "soft.faults.delay-duration", micros(faults.getDelayDuration()));
        putIfSet(options, "soft.faults.corrupt", faults.getCorrupt());
        putIfSet(options, "soft.faults.seed", faults.getSeed());
        putIfSet(options, "soft.faults.script", faults.getScript());
        putIfSet(options, "soft.faults.bandwidth", faults.getBandwidth());
        return options;
    }

    private static void putIfSet(Map<String, String> options, String name, @Nullable Object value) {
        if (value != null) {
            options.put(name, value.toString());
        }
    }

    private static @Nullable Long bytes(@Nullable DataSize size) {
        return size == null ? null : size.toBytes();
    }

    private static @Nullable String micros(@Nullable Duration time) {
        return time == null ? null : TimeUnit.NANOSECONDS.toMicros(time.toNanos()) + "us";
    }

    public static PollingConfig polling(RdmaProperties.Polling polling) {
        return new PollingConfig(
                polling.getThreads(),
                polling.getIdleStrategy(),
                polling.getIdleSpins(),
                polling.getMaxSleep(),
                polling.getCpus());
    }

    /** The polling threads; the first one turns the engine whose transports are beans. */
    public static List<PollingThread> pollingThreads(NicContext nic, PollingConfig polling, @Nullable String name) {
        return polling.threads(Objects.requireNonNullElse(name, "rdma-poll-" + nic.deviceName()));
    }

    /** The properties know no 0; a customizer or a bean may. */
    public static PollingThread firstPollingThread(NicContext nic, PollingConfig polling, @Nullable String name) {
        if (polling.threads() == 0) {
            throw new RdmaConfigurationException(
                    "polling.threads",
                    0,
                    "nobody would turn the engine of this application",
                    "Let the customizer or bean of PollingConfig have 1 thread or more; a loop of one's own is for"
                            + " RdmaRuntime without Spring");
        }
        return pollingThreads(nic, polling, name).getFirst();
    }

    public static UdConfig ud(RdmaProperties.Ud ud) {
        DataSize inline = ud.getInlineSize();
        return new UdConfig(
                ud.getSendDepth(),
                ud.getReceiveDepth(),
                inline == null ? UdConfig.AUTO_INLINE : (int) inline.toBytes(),
                ud.getPollBatch(),
                ud.getPostBatch());
    }

    public static RcConfig rc(RdmaProperties.Rc rc) {
        return new RcConfig(
                rc.getSendDepth(),
                rc.getMaxReads(),
                rc.getAckTimeoutExponent(),
                rc.getRetryCount(),
                rc.getReadBudget(),
                rc.getReadTimeout());
    }

    public static MemoryConfig memory(RdmaProperties.Memory memory) {
        return new MemoryConfig(
                memory.getMaxSize().toBytes(), (int) memory.getChunkSize().toBytes(), memory.isHugePages());
    }

    public static RpcConfig rpc(RdmaProperties properties, @Nullable SslBundles bundles) {
        RdmaProperties.Heartbeat heartbeat = properties.getHeartbeat();
        return new RpcConfig(
                properties.getClient().getMaxInFlight(),
                properties.getClient().getMaxQueued(),
                (int) properties.getMaxMessageSize().toBytes(),
                properties.getRetransmit().getInitialTimeout(),
                properties.getRetransmit().getMaxAttempts(),
                heartbeat.getInterval(),
                heartbeat.getTimeout(),
                properties.getConnectTimeout(),
                properties.getMemory().getMaxLentPerSession().toBytes(),
                traffic(properties),
                load(properties.getServer()),
                control(properties, bundles));
    }

    /**
     * The exporter counts the calls of all polling threads and hands them to threads itself, but it sees a large one only
     * when it was fetched: what is too much for one polling thread is not.
     */
    private static LoadLimits load(RdmaServerProperties server) {
        return new LoadLimits(0, Duration.ZERO, server.getMaxConcurrentCalls());
    }

    private static ControlConfig control(RdmaProperties properties, @Nullable SslBundles bundles) {
        RdmaServerProperties server = properties.getServer();
        DataSize bytesPerPeer = server.getMaxLentPerPeer();
        RdmaClientProperties.Reconnect reconnect = properties.getClient().getReconnect();
        return new ControlConfig(
                server.getMaxSessions(),
                Objects.requireNonNullElse(server.getMaxSessionsPerPeer(), ControlConfig.FAIR_SHARE),
                server.getMaxPendingHandshakes(),
                bytesPerPeer == null ? ControlConfig.FAIR_SHARE : bytesPerPeer.toBytes(),
                properties.getClient().getSessionIdleTimeout(),
                server.getSessionTokenLifetime(),
                new ReconnectConfig(
                        reconnect.isEnabled(),
                        reconnect.getInitialInterval(),
                        reconnect.getMaxInterval(),
                        reconnect.getMaxElapsedTime(),
                        reconnect.isShuffleAddresses()),
                security(properties.getSecurity(), bundles));
    }

    private static ControlSecurity security(RdmaSecurityProperties security, @Nullable SslBundles bundles) {
        ControlSecurity wanted = ControlSecurity.NONE;
        RdmaSecurityProperties.Ssl ssl = security.getSsl();
        if (ssl.getBundle() != null) {
            wanted = ReloadedBundle.of(ssl.getBundle(), bundles)
                    .secure(wanted, ssl.getClientAuth(), ssl.isVerifyHostname());
        }
        return security.getToken() == null ? wanted : wanted.withToken(security.getToken());
    }

    private static TrafficConfig traffic(RdmaProperties properties) {
        RdmaProperties.Retransmit retransmit = properties.getRetransmit();
        return TrafficConfig.DEFAULTS
                .withTimeouts(retransmit.getMinTimeout(), retransmit.getMaxTimeout())
                .withBatching(properties.getUd().isBatching())
                .withCongestionControl(properties.getUd().isCongestionControl());
    }
}
