package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of RDMA calls. Immutable.
 *
 * @param enabled Whether the starter is active. When false, there are no clients and no server.
 * @param preset Group of defaults for a purpose: 'latency', 'throughput', 'low-cpu', or 'balanced', which changes
 *     nothing. Explicit settings take precedence.
 * @param provider Verbs provider: 'auto' uses the first active RDMA port, otherwise the software RNIC. 'ibverbs' and
 *     'soft' use only that provider.
 * @param maxMessageSize Maximum size of a message that is sent or accepted, 4KB to 1GB. The smaller value of both
 *     sides applies. Raising it lets one message of a peer use more memory.
 * @param connectTimeout How long a connection and its handshake may take. Raising it tolerates slower networks and
 *     reports an unreachable server later.
 * @param device Which device, port and address to use.
 * @param soft Settings of the software RNIC.
 * @param ud Settings of the datagram transport, which carries messages that fit one packet.
 * @param rc Settings of the connected transport, which fetches larger messages by RDMA READ.
 * @param memory Settings of registered memory.
 * @param polling Settings of the polling threads, which run the engines.
 * @param retransmit Settings of retransmission.
 * @param heartbeat Settings of the heartbeats that detect dead peers.
 * @param client Settings of calls to other processes.
 * @param server Settings of the server, which offers services.
 * @param security Settings of authentication and encryption, as server and as client.
 * @param observation How calls are measured and traced.
 * @param serialization Settings of the conversion of arguments and results to bytes.
 */
@ConfigurationProperties("rdma")
public record RdmaProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("balanced") RdmaPreset preset,
        @DefaultValue(NicConfig.AUTO) String provider,

        @DefaultValue(RpcConfig.DEFAULT_MAX_MESSAGE_MEGABYTES + "MB")
        DataSize maxMessageSize,

        @DefaultValue(RpcConfig.DEFAULT_CONNECT_SECONDS + "s")
        Duration connectTimeout,

        @DefaultValue Device device,
        @DefaultValue @NestedConfigurationProperty RdmaSoftProperties soft,
        @DefaultValue Ud ud,
        @DefaultValue Rc rc,
        @DefaultValue Memory memory,
        @DefaultValue Polling polling,
        @DefaultValue Retransmit retransmit,
        @DefaultValue Heartbeat heartbeat,
        @DefaultValue @NestedConfigurationProperty RdmaClientProperties client,
        @DefaultValue @NestedConfigurationProperty RdmaServerProperties server,
        @DefaultValue @NestedConfigurationProperty RdmaSecurityProperties security,
        @DefaultValue Observation observation,
        @DefaultValue @NestedConfigurationProperty RdmaSerializationProperties serialization)
        implements CheckedSettings {

    @Override
    public void check(SettingsCheck check) {
        check.notBlank("provider", provider, "must name a provider: use auto, ibverbs or soft");
        check.nested("device", device);
        check.nested("soft", soft);
        check.nested("ud", ud);
        check.nested("rc", rc);
        check.nested("memory", memory);
        check.nested("polling", polling);
        check.bytes(
                "maxMessageSize",
                maxMessageSize,
                4096,
                1L << 30,
                "must be 4KB to 1GB: it limits the memory that one message of a peer can use");
        check.nested("retransmit", retransmit);
        check.nested("heartbeat", heartbeat);
        check.longerThanZero("connectTimeout", connectTimeout);
        check.nested("client", client);
        check.nested("server", server);
        check.nested("serialization", serialization);
    }

    /**
     * Which device, port and address to use.
     *
     * @param name Name of the RDMA device, or 'auto' for the first one with an active port.
     * @param port Number of the device's port, from 1.
     * @param gidIndex Index into the port's GID table. When not set, RoCE v2 with IPv4 is preferred.
     * @param mtu Path MTU: a power of two from 256B to 4096B. Raising it sends larger packets, which every router on
     *     the path must support. When not set, the port's active MTU.
     */
    public record Device(
            @DefaultValue(NicConfig.AUTO) String name,
            @DefaultValue("" + NicConfig.DEFAULT_PORT) int port,
            @Nullable Integer gidIndex,
            @Nullable DataSize mtu)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.notBlank("name", name, "must name a device: use auto for the first one");
            check.atLeast("port", port, 1, "must be 1 or more: ports of a device count from 1");
            check.atLeast("gidIndex", gidIndex, 0, "must be 0 or more: remove the setting to prefer RoCE v2 with IPv4");
            check.powerOfTwoBytes(
                    "mtu",
                    mtu,
                    256,
                    4096,
                    "must be a path MTU, a power of two from 256B to 4096B: use 256B, 512B, 1KB, 2KB or 4KB, or remove"
                            + " the setting to use the port's MTU");
        }
    }

    /**
     * Settings of the datagram transport.
     *
     * @param sendDepth Maximum datagrams that are posted and not yet complete. Raising it lets more packets leave at
     *     once and uses more memory of the device.
     * @param receiveDepth Maximum packets that can arrive between two duty cycles. Each session owns one of these
     *     receives, and busy sessions borrow free ones. Raising it allows more sessions and registers more memory.
     * @param inlineSize Maximum size of a packet that is sent inline. Raising it saves the device a memory read for
     *     more packets. When not set, the device's maximum.
     * @param pollBatch Maximum completions that one call reads from the device, 1 to 256. Raising it saves calls when
     *     many packets arrive.
     * @param postBatch Maximum packets that one call posts to the device, 1 to 256. Raising it saves calls when many
     *     packets leave.
     * @param batching Whether small messages to one peer that are sent at the same time share a packet.
     * @param congestionControl Whether sessions reduce their rate when round trips grow, for networks with incast.
     *     Both sides must enable it, because servers then report how long their methods took. Streams keep their
     *     rate.
     */
    public record Ud(
            @DefaultValue("" + UdConfig.DEFAULT_SEND_DEPTH) int sendDepth,

            @DefaultValue("" + UdConfig.DEFAULT_RECEIVE_DEPTH)
            int receiveDepth,

            @Nullable DataSize inlineSize,
            @DefaultValue("" + UdConfig.DEFAULT_BATCH) int pollBatch,
            @DefaultValue("" + UdConfig.DEFAULT_BATCH) int postBatch,
            @DefaultValue("true") boolean batching,
            @DefaultValue("false") boolean congestionControl)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.atLeast("sendDepth", sendDepth, 1, "must be 1 or more: 256 suits most");
            check.atLeast("receiveDepth", receiveDepth, 1, "must be 1 or more: 1024 suits most");
            check.bytes(
                    "inlineSize",
                    inlineSize,
                    0,
                    4096,
                    "must be 0B to 4KB: remove the setting to use the device's maximum");
            check.within("pollBatch", pollBatch, 1, 256, "must be 1 to 256: 16 suits most");
            check.within("postBatch", postBatch, 1, 256, "must be 1 to 256: 16 suits most");
        }
    }

    /**
     * Settings of the connected transport.
     *
     * @param sendDepth Maximum posted RDMA READs of one connection. Raising it transfers more large messages of one
     *     session at once.
     * @param maxReads Maximum outstanding RDMA READs of one connection at the NIC. The smaller value of both sides
     *     applies. Raising it increases throughput over long distances.
     * @param readBudget Maximum RDMA READs in flight at the NIC, over all polling threads and connections. Peers
     *     share the budget. Raising it transfers more large messages at once.
     * @param readTimeout How long none of a session's RDMA READs may complete before the session ends, 100ms to 1h.
     *     Raising it lets slow peers occupy their part of the READ budget longer.
     * @param ackTimeoutExponent Exponent n of the acknowledge timeout, which is 4.096 µs x 2^n, 1 to 31. Raising it
     *     by one doubles the time before a lost packet is retransmitted.
     * @param retryCount Maximum retries before a connection fails, 0 to 7. Raising it survives more losses and
     *     reports a dead peer later.
     */
    public record Rc(
            @DefaultValue("" + RcConfig.DEFAULT_SEND_DEPTH) int sendDepth,
            @DefaultValue("" + RcConfig.DEFAULT_MAX_READS) int maxReads,
            @DefaultValue("" + RcConfig.DEFAULT_READ_BUDGET) int readBudget,

            @DefaultValue(RcConfig.DEFAULT_READ_TIMEOUT_SECONDS + "s")
            Duration readTimeout,

            @DefaultValue("" + RcConfig.DEFAULT_ACK_TIMEOUT) int ackTimeoutExponent,
            @DefaultValue("" + RcConfig.DEFAULT_RETRY_COUNT) int retryCount)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.atLeast("sendDepth", sendDepth, 1, "must be 1 or more: 64 suits most");
            check.atLeast("maxReads", maxReads, 1, "must be 1 or more: 16 suits most");
            check.within("readBudget", readBudget, 1, 4096, "must be 1 to 4096: 64 suits most");
            check.within(
                    "readTimeout",
                    readTimeout,
                    Duration.ofMillis(100),
                    Duration.ofHours(1),
                    "must be 100 ms to 1 hour: 3s suits most");
            check.within("ackTimeoutExponent", ackTimeoutExponent, 1, 31, "must be 1 to 31: 14 is 67 ms");
            check.within("retryCount", retryCount, 0, 7, "must be 0 to 7: use a value below 7 only to fail fast");
        }
    }

    /**
     * Settings of registered memory.
     *
     * @param maxSize Maximum memory that is registered. Raising it lets more large messages wait and needs a higher
     *     memlock limit.
     * @param chunkSize Size of one registration: a power of two from 64KB to 1GB. Raising it registers less often and
     *     leaves more memory unused.
     * @param maxLentPerSession Maximum memory that one session may lend to its peer. Raising it lets one session send
     *     more large messages at once.
     * @param hugePages Whether chunks use huge pages while some are free. RDMA devices only.
     */
    public record Memory(
            @DefaultValue(MemoryConfig.DEFAULT_MAX_GIGABYTES + "GB")
            DataSize maxSize,

            @DefaultValue(MemoryConfig.DEFAULT_CHUNK_MEGABYTES + "MB")
            DataSize chunkSize,

            @DefaultValue(RpcConfig.DEFAULT_LENT_GIGABYTES + "GB")
            DataSize maxLentPerSession,

            @DefaultValue("false") boolean hugePages)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.bytes("maxSize", maxSize, 1 << 20, Long.MAX_VALUE, "must be 1MB or more");
            check.powerOfTwoBytes(
                    "chunkSize",
                    chunkSize,
                    64 << 10,
                    1 << 30,
                    "must be a power of two from 64KB to 1GB: 16MB suits most");
            check.bytes(
                    "maxLentPerSession",
                    maxLentPerSession,
                    64 << 10,
                    Long.MAX_VALUE,
                    "must be 64KB or more: a session must be able to lend at least one message");
        }
    }

    /**
     * Settings of the polling threads.
     *
     * @param threads Number of polling threads, each with its own engine: 'auto', or 1 to 64. 'auto' adds threads under
     *     load, up to a quarter of the cores. Raising it uses more cores.
     * @param idleStrategy What a polling thread does without work: 'adaptive' polls for a while and then sleeps,
     *     'busy' keeps polling, 'event' sleeps immediately.
     * @param idleSpins Maximum duty cycles without work before an adaptive thread sleeps. Raising it responds to
     *     infrequent calls sooner and uses more processor time.
     * @param maxSleep How long a thread sleeps at most while a timer is armed. Raising it uses less processor time.
     *     Without completion channels, packets may wait up to this time.
     * @param stallThreshold How long a polling thread may run no duty cycle before health is DOWN. Raising it
     *     tolerates longer pauses of the process.
     * @param cpus Processors to bind the polling threads to, one for each thread in this order. Requires a number of
     *     threads. When empty, threads are not bound. Linux only.
     * @param threadName Name of the first thread. When not set, 'rdma-poll-' and the device's name.
     */
    public record Polling(
            @DefaultValue(AUTO) String threads,

            @DefaultValue("adaptive") IdlePolicy idleStrategy,

            @DefaultValue("" + PollingConfig.DEFAULT_IDLE_SPINS)
            int idleSpins,

            @DefaultValue(PollingConfig.DEFAULT_MAX_SLEEP_MILLIS + "ms")
            Duration maxSleep,

            @DefaultValue("5s") Duration stallThreshold,
            @DefaultValue List<Integer> cpus,
            @Nullable String threadName)
            implements CheckedSettings {

        /** The value of {@code threads} for a number that follows the load. */
        public static final String AUTO = "auto";

        /**
         * Returns whether the number of threads follows the load.
         *
         * @return false if it is fixed
         */
        public boolean hasAutoThreads() {
            return AUTO.equalsIgnoreCase(threads);
        }

        @Override
        public void check(SettingsCheck check) {
            if (hasAutoThreads()) {
                check.require(
                        cpus.isEmpty(),
                        "threads",
                        "must be a number if rdma.polling.cpus is set: use " + cpus.size()
                                + ", because each thread is bound to one of those processors");
            } else {
                check.number(
                        "threads", threads, 1, PollingConfig.MAX_THREADS, "must be auto or 1 to 64: auto suits most");
            }
            check.atLeast("idleSpins", idleSpins, 0, "must be 0 or more: 0 sleeps immediately");
            check.longerThanZero("maxSleep", maxSleep);
            check.longerThanZero("stallThreshold", stallThreshold);
        }
    }

    /**
     * Settings of retransmission.
     *
     * @param initialTimeout How long a request waits for a response before it is retransmitted, until round trips
     *     have been measured. The time doubles with each retransmission. Raising it retransmits less often and
     *     repairs a loss later.
     * @param minTimeout How long the retransmission timeout is at least, once round trips have been measured.
     *     Raising it retransmits less often and repairs a loss later.
     * @param maxTimeout How long the retransmission timeout is at most, after any number of retransmissions. Raising
     *     it sends less to a peer that does not respond.
     * @param maxAttempts Maximum transmissions of a request without any packet from the peer before its session ends.
     *     Raising it survives longer outages and reports a dead peer later.
     */
    public record Retransmit(
            @DefaultValue(RetransmitConfig.DEFAULT_INITIAL_MILLIS + "ms")
            Duration initialTimeout,

            @DefaultValue(RetransmitConfig.DEFAULT_MIN_MILLIS + "ms")
            Duration minTimeout,

            @DefaultValue(RetransmitConfig.DEFAULT_MAX_MILLIS + "ms")
            Duration maxTimeout,

            @DefaultValue("" + RetransmitConfig.DEFAULT_MAX_ATTEMPTS)
            int maxAttempts)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("initialTimeout", initialTimeout);
            check.longerThanZero("minTimeout", minTimeout);
            check.longerThanZero("maxTimeout", maxTimeout);
            check.atLeast("maxAttempts", maxAttempts, 1, "must be 1 or more: 30 suits most");
        }
    }

    /**
     * Settings of heartbeats.
     *
     * @param interval How long the control connection waits between heartbeats. Raising it sends fewer packets and
     *     requires a longer timeout.
     * @param timeout How long a peer may be silent before it is considered dead. Raising it tolerates longer pauses
     *     and detects dead peers later.
     */
    public record Heartbeat(
            @DefaultValue(HeartbeatConfig.DEFAULT_INTERVAL_MILLIS + "ms")
            Duration interval,

            @DefaultValue(HeartbeatConfig.DEFAULT_TIMEOUT_SECONDS + "s")
            Duration timeout)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("interval", interval);
            check.longerThanZero("timeout", timeout);
        }
    }

    /**
     * How calls are measured and traced.
     *
     * @param mode Measurement of each call: 'auto' selects 'observation' if there is a tracer or an observation
     *     handler of the application. Otherwise it selects 'timer', which costs less. 'none' disables both.
     */
    public record Observation(@DefaultValue("auto") Mode mode) {

        /** Measurement of each call. */
        public enum Mode {
            /**
             * {@link #OBSERVATION} if there is a tracer or an observation handler of the application, otherwise
             * {@link #TIMER}.
             */
            AUTO,
            /** Micrometer's Observation API: timers, traces and other observation handlers. */
            OBSERVATION,
            /** Timers only, with the same names and tags. */
            TIMER,
            /** No measurement. */
            NONE
        }
    }
}
