package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.RdmaSecurityProperties;
import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import io.rdmarpc.autoconfigure.properties.RdmaSoftProperties;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RetransmitConfig;
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

/** Converts the properties to the configuration of the engine. */
public final class EngineConfigs {

    private EngineConfigs() {}

    public static NicConfig nic(RdmaProperties properties) {
        RdmaProperties.Device device = properties.device();
        Integer gidIndex = device.gidIndex();
        DataSize mtu = device.mtu();
        return new NicConfig(
                properties.provider(),
                device.name(),
                device.port(),
                gidIndex == null ? NicConfig.AUTO_GID : gidIndex,
                mtu == null ? NicConfig.AUTO_MTU : (int) mtu.toBytes(),
                softOptions(properties.soft()));
    }

    /** Returns the options of the software RNIC, which have the names of the properties. */
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
        putIfSet(
                options,
                "soft.shared-memory.ring-size",
                bytes(soft.sharedMemory().ringSize()));
        putIfSet(
                options,
                "soft.shared-memory.max-inbound-size",
                bytes(soft.sharedMemory().maxInboundSize()));
        RdmaSoftProperties.Faults faults = soft.faults();
        putIfSet(options, "soft.faults.loss", faults.loss());
        putIfSet(options, "soft.faults.duplicate", faults.duplicate());
        putIfSet(options, "soft.faults.reorder", faults.reorder());
        putIfSet(options, "soft.faults.delay", faults.delay());
        putIfSet(options, "soft.faults.delay-duration", micros(faults.delayDuration()));
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

    private static @Nullable Long bytes(@Nullable DataSize size) {
        return size == null ? null : size.toBytes();
    }

    private static @Nullable String micros(@Nullable Duration time) {
        return time == null ? null : TimeUnit.NANOSECONDS.toMicros(time.toNanos()) + "us";
    }

    public static PollingConfig polling(RdmaProperties.Polling polling) {
        boolean auto = polling.hasAutoThreads();
        int threads = auto ? PollingConfig.DEFAULT_THREADS : Integer.parseInt(polling.threads());
        return new PollingConfig(
                threads,
                auto ? PollingConfig.maxThreadsFor(Runtime.getRuntime().availableProcessors()) : threads,
                polling.idleStrategy(),
                polling.idleSpins(),
                polling.maxSleep(),
                polling.cpus());
    }

    /** Creates the polling threads. The first one runs the engine whose transports are beans. */
    public static List<PollingThread> pollingThreads(NicContext nic, PollingConfig polling, @Nullable String name) {
        return polling.threads(threadName(nic, name));
    }

    /** Returns the name of the first polling thread. */
    public static String threadName(NicContext nic, @Nullable String name) {
        return Objects.requireNonNullElse(name, "rdma-poll-" + nic.deviceName());
    }

    /** Creates the first polling thread. The properties reject 0 threads, but a customizer or a bean may set it. */
    public static PollingThread firstPollingThread(NicContext nic, PollingConfig polling, @Nullable String name) {
        if (polling.threads() == 0) {
            throw new RdmaConfigurationException(
                    "polling.threads",
                    0,
                    "no thread would run the event loop of this application",
                    "Set 1 thread or more in the customizer or bean of PollingConfig. To run the event loop in a thread"
                            + " of your own, use RdmaRuntime without Spring");
        }
        return pollingThreads(nic, polling, name).getFirst();
    }

    public static UdConfig ud(RdmaProperties.Ud ud) {
        DataSize inline = ud.inlineSize();
        return new UdConfig(
                ud.sendDepth(),
                ud.receiveDepth(),
                inline == null ? UdConfig.AUTO_INLINE : (int) inline.toBytes(),
                ud.pollBatch(),
                ud.postBatch());
    }

    public static RcConfig rc(RdmaProperties.Rc rc) {
        return new RcConfig(
                rc.sendDepth(),
                rc.maxReads(),
                rc.ackTimeoutExponent(),
                rc.retryCount(),
                rc.readBudget(),
                rc.readTimeout());
    }

    public static MemoryConfig memory(RdmaProperties.Memory memory) {
        return new MemoryConfig(
                memory.maxSize().toBytes(), (int) memory.chunkSize().toBytes(), memory.hugePages());
    }

    public static RpcConfig rpc(RdmaProperties properties, @Nullable SslBundles bundles) {
        RdmaProperties.Heartbeat heartbeat = properties.heartbeat();
        return new RpcConfig(
                properties.client().maxInFlight(),
                properties.client().maxQueued(),
                (int) properties.maxMessageSize().toBytes(),
                properties.connectTimeout(),
                properties.memory().maxLentPerSession().toBytes(),
                retransmit(properties.retransmit()),
                new HeartbeatConfig(heartbeat.interval(), heartbeat.timeout()),
                new TrafficConfig(properties.ud().batching(), properties.ud().congestionControl()),
                load(properties.server()),
                control(properties, bundles));
    }

    /**
     * Returns the limits of the engine. The exporter limits the calls of all polling threads and dispatches them
     * itself. It receives a large call only after the engine has fetched it. Therefore the engine rejects large calls
     * beyond the limit of one polling thread before it fetches them.
     */
    private static LoadLimits load(RdmaServerProperties server) {
        return new LoadLimits(0, Duration.ZERO, server.maxConcurrentCalls());
    }

    private static ControlConfig control(RdmaProperties properties, @Nullable SslBundles bundles) {
        RdmaServerProperties server = properties.server();
        DataSize bytesPerPeer = server.maxLentPerPeer();
        RdmaClientProperties.Reconnect reconnect = properties.client().reconnect();
        return new ControlConfig(
                server.maxSessions(),
                Objects.requireNonNullElse(server.maxSessionsPerPeer(), ControlConfig.FAIR_SHARE),
                server.maxPendingHandshakes(),
                bytesPerPeer == null ? ControlConfig.FAIR_SHARE : bytesPerPeer.toBytes(),
                properties.client().sessionIdleTimeout(),
                server.sessionTokenLifetime(),
                new ReconnectConfig(
                        reconnect.enabled(),
                        reconnect.initialInterval(),
                        reconnect.maxInterval(),
                        reconnect.maxElapsedTime(),
                        reconnect.shuffleAddresses()),
                security(properties.security(), bundles));
    }

    private static ControlSecurity security(RdmaSecurityProperties security, @Nullable SslBundles bundles) {
        ControlSecurity wanted = ControlSecurity.NONE;
        RdmaSecurityProperties.Ssl ssl = security.ssl();
        if (ssl.bundle() != null) {
            wanted = ReloadedBundle.of(ssl.bundle(), bundles).secure(wanted, ssl.clientAuth(), ssl.verifyHostname());
        }
        return security.token() == null ? wanted : wanted.withToken(security.token());
    }

    private static RetransmitConfig retransmit(RdmaProperties.Retransmit retransmit) {
        return new RetransmitConfig(
                retransmit.initialTimeout(),
                retransmit.minTimeout(),
                retransmit.maxTimeout(),
                retransmit.maxAttempts());
    }
}
