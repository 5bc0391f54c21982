package io.rdmarpc.autoconfigure;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.ControlConfig;
import io.rdmarpc.rpc.ControlSecurity;
import io.rdmarpc.rpc.LoadLimits;
import io.rdmarpc.rpc.ReconnectConfig;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.TrafficConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.verbs.RdmaConfigurationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.unit.DataSize;

/** The engine's settings from the application's. */
final class EngineConfigs {

    private EngineConfigs() {}

    static NicConfig nic(RdmaProperties properties) {
        Integer gidIndex = properties.gidIndex();
        DataSize mtu = properties.mtu();
        return new NicConfig(
                properties.provider(),
                properties.device(),
                properties.port(),
                gidIndex == null ? NicConfig.AUTO_GID : gidIndex,
                mtu == null ? NicConfig.AUTO_MTU : (int) mtu.toBytes(),
                softOptions(properties.soft()));
    }

    /** By the names that the software RNIC knows them by: those of the properties. */
    private static Map<String, String> softOptions(RdmaSoftProperties soft) {
        Map<String, String> options = new HashMap<>();
        if (!soft.addresses().isEmpty()) {
            options.put("soft.addresses", String.join(",", soft.addresses()));
        }
        putIfSet(options, "soft.port", soft.port());
        putIfSet(options, "soft.pcap", soft.pcap());
        if (!soft.sharedMemory().enabled()) {
            options.put("soft.shared-memory.enabled", "false");
        }
        putIfSet(options, "soft.shared-memory.ring-bytes", soft.sharedMemory().ringBytes());
        RdmaSoftProperties.Faults faults = soft.faults();
        putIfSet(options, "soft.faults.loss", faults.loss());
        putIfSet(options, "soft.faults.duplicate", faults.duplicate());
        putIfSet(options, "soft.faults.reorder", faults.reorder());
        putIfSet(options, "soft.faults.delay", faults.delay());
        putIfSet(options, "soft.faults.delay-micros", faults.delayMicros());
        putIfSet(options, "soft.faults.corrupt", faults.corrupt());
        putIfSet(options, "soft.faults.seed", faults.seed());
        putIfSet(options, "soft.faults.script", faults.script());
        putIfSet(options, "soft.faults.bandwidth", faults.bandwidth());
        return options;
    }

    private static void putIfSet(Map<String, String> options, String name, @Nullable Object value) {
        if (value != null) {
            options.put(name, value.toString());
        }
    }

    static PollingConfig polling(RdmaProperties.Polling polling) {
        return new PollingConfig(
                polling.threads(), polling.idle(), polling.idleTurns(), polling.maxPark(), polling.cpus());
    }

    /** The polling threads; the first one turns the engine whose transports are beans. */
    static List<PollingThread> pollingThreads(NicContext nic, PollingConfig polling, @Nullable String name) {
        return polling.threads(Objects.requireNonNullElse(name, "rdma-poll-" + nic.deviceName()));
    }

    /** The properties know no 0; a customizer or a bean may. */
    static PollingThread firstPollingThread(NicContext nic, PollingConfig polling, @Nullable String name) {
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

    static UdConfig ud(RdmaProperties.Ud ud) {
        DataSize inline = ud.inlineSize();
        return new UdConfig(
                ud.sendDepth(),
                ud.receiveDepth(),
                inline == null ? UdConfig.AUTO_INLINE : (int) inline.toBytes(),
                ud.pollBatch(),
                ud.postBatch());
    }

    static RcConfig rc(RdmaProperties.Rc rc) {
        return new RcConfig(rc.sendDepth(), rc.maxReads(), rc.ackTimeout(), rc.retryCount(), rc.readBudget());
    }

    static MemoryConfig memory(RdmaProperties.Memory memory) {
        return new MemoryConfig(memory.max().toBytes(), (int) memory.chunkSize().toBytes(), memory.hugePages());
    }

    static RpcConfig rpc(RdmaProperties properties, @Nullable SslBundles bundles) {
        RdmaProperties.Heartbeat heartbeat = properties.heartbeat();
        return new RpcConfig(
                properties.window(),
                properties.backlog(),
                (int) properties.maxMessageSize().toBytes(),
                properties.retransmit().timeout(),
                properties.retransmit().limit(),
                heartbeat.interval(),
                heartbeat.timeout(),
                properties.connectTimeout(),
                properties.memory().lendingMax().toBytes(),
                traffic(properties),
                load(properties.server()),
                control(properties, bundles));
    }

    /**
     * The exporter counts the calls of all polling threads and hands them to threads itself, but it sees a large one only
     * when it was fetched: what is too much for one polling thread is not.
     */
    private static LoadLimits load(RdmaServerProperties server) {
        return new LoadLimits(0, Duration.ZERO, server.maxConcurrentCalls());
    }

    private static ControlConfig control(RdmaProperties properties, @Nullable SslBundles bundles) {
        RdmaServerProperties server = properties.server();
        RdmaClientProperties.Reconnect reconnect = properties.client().reconnect();
        return new ControlConfig(
                server.maxSessions(),
                server.maxSessionsPerPeer(),
                server.maxPendingHandshakes(),
                server.maxBytesPerPeer().toBytes(),
                properties.client().sessionIdleTimeout(),
                server.tokenLifetime(),
                new ReconnectConfig(
                        reconnect.automatic(),
                        reconnect.firstPause(),
                        reconnect.longestPause(),
                        reconnect.giveUpAfter(),
                        reconnect.shuffleAddresses()),
                security(properties.security(), bundles));
    }

    private static ControlSecurity security(RdmaSecurityProperties security, @Nullable SslBundles bundles) {
        ControlSecurity wanted = ControlSecurity.NONE;
        RdmaSecurityProperties.Ssl ssl = security.ssl();
        if (ssl.bundle() != null) {
            wanted = ReloadedBundle.of(ssl.bundle(), bundles)
                    .secure(wanted, ssl.clientCertificates(), ssl.verifyHostName());
        }
        return security.token() == null ? wanted : wanted.withToken(security.token());
    }

    private static TrafficConfig traffic(RdmaProperties properties) {
        RdmaProperties.Retransmit retransmit = properties.retransmit();
        return TrafficConfig.DEFAULTS
                .withTimeouts(retransmit.minTimeout(), retransmit.maxTimeout())
                .withBundling(properties.ud().bundling())
                .withCongestionControl(properties.ud().congestionControl());
    }
}
