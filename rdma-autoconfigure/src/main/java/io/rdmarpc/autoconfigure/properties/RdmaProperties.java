package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.runtime.IdlePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/** Settings of RDMA calls. */
@ConfigurationProperties("rdma")
public final class RdmaProperties implements CheckedSettings {

    /** Whether RDMA is used at all: without it there are no clients and no server. */
    private boolean enabled = true;

    /**
     * Defaults of a group of settings for a purpose: 'latency', 'throughput', 'low-cpu', or 'balanced', which changes
     * nothing. A setting that is given wins.
     */
    private RdmaPreset preset = RdmaPreset.BALANCED;

    /**
     * Verbs provider: 'auto' takes the first active RDMA port and else the software RNIC, 'ibverbs' and 'soft' insist
     * on one.
     */
    private String provider = "auto";

    /** Which device, port and address to use. */
    private final Device device = new Device();

    /** Settings of the software RNIC. */
    @NestedConfigurationProperty
    private final RdmaSoftProperties soft = new RdmaSoftProperties();

    /** Settings of the datagram transport, which carries messages that fit one packet. */
    private final Ud ud = new Ud();

    /** Settings of the connected transport, which fetches larger messages by RDMA READ. */
    private final Rc rc = new Rc();

    /** Settings of registered memory. */
    private final Memory memory = new Memory();

    /** Settings of the polling threads, which turn the engines. */
    private final Polling polling = new Polling();

    /** Longest message that is sent and accepted. The smaller value of both sides counts. */
    private DataSize maxMessageSize = DataSize.ofMegabytes(64);

    /** Settings of retransmission. */
    private final Retransmit retransmit = new Retransmit();

    /** Settings of the heartbeats that find dead peers. */
    private final Heartbeat heartbeat = new Heartbeat();

    /** Time for a connection and its handshake. */
    private Duration connectTimeout = Duration.ofSeconds(5);

    /** Settings of calls to other processes. */
    @NestedConfigurationProperty
    private final RdmaClientProperties client = new RdmaClientProperties();

    /** Settings of offering services. */
    @NestedConfigurationProperty
    private final RdmaServerProperties server = new RdmaServerProperties();

    /** Who may connect, as server and as client. */
    @NestedConfigurationProperty
    private final RdmaSecurityProperties security = new RdmaSecurityProperties();

    /** How calls are measured and traced. */
    private final Observation observation = new Observation();

    /** How arguments and results become bytes. */
    @NestedConfigurationProperty
    private final RdmaSerializationProperties serialization = new RdmaSerializationProperties();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public RdmaPreset getPreset() {
        return preset;
    }

    public void setPreset(RdmaPreset preset) {
        this.preset = preset;
    }

    public String getProvider() {
        return provider;
    }

    public void setProvider(String provider) {
        this.provider = provider;
    }

    public Device getDevice() {
        return device;
    }

    public RdmaSoftProperties getSoft() {
        return soft;
    }

    public Ud getUd() {
        return ud;
    }

    public Rc getRc() {
        return rc;
    }

    public Memory getMemory() {
        return memory;
    }

    public Polling getPolling() {
        return polling;
    }

    public DataSize getMaxMessageSize() {
        return maxMessageSize;
    }

    public void setMaxMessageSize(DataSize maxMessageSize) {
        this.maxMessageSize = maxMessageSize;
    }

    public Retransmit getRetransmit() {
        return retransmit;
    }

    public Heartbeat getHeartbeat() {
        return heartbeat;
    }

    public Duration getConnectTimeout() {
        return connectTimeout;
    }

    public void setConnectTimeout(Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    public RdmaClientProperties getClient() {
        return client;
    }

    public RdmaServerProperties getServer() {
        return server;
    }

    public RdmaSecurityProperties getSecurity() {
        return security;
    }

    public Observation getObservation() {
        return observation;
    }

    public RdmaSerializationProperties getSerialization() {
        return serialization;
    }

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
                "must be 4KB to 1GB: it bounds the memory that one message of a peer can take");
        check.nested("retransmit", retransmit);
        check.nested("heartbeat", heartbeat);
        check.longerThanZero("connectTimeout", connectTimeout);
        check.nested("client", client);
        check.nested("server", server);
        check.nested("serialization", serialization);
    }

    /** Which device, port and address to use. */
    public static final class Device implements CheckedSettings {

        /** Name of the RDMA device, or 'auto' for the first with an active port. */
        private String name = "auto";

        /** Number of the device's port, from 1. */
        private int port = 1;

        /** Index into the port's GID table. When not set, RoCE v2 with IPv4 is preferred. */
        private @Nullable Integer gidIndex;

        /** Path MTU: a power of two from 256B to 4096B. When not set, the port's active MTU. */
        private @Nullable DataSize mtu;

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public int getPort() {
            return port;
        }

        public void setPort(int port) {
            this.port = port;
        }

        public @Nullable Integer getGidIndex() {
            return gidIndex;
        }

        public void setGidIndex(@Nullable Integer gidIndex) {
            this.gidIndex = gidIndex;
        }

        public @Nullable DataSize getMtu() {
            return mtu;
        }

        public void setMtu(@Nullable DataSize mtu) {
            this.mtu = mtu;
        }

        @Override
        public void check(SettingsCheck check) {
            check.notBlank("name", name, "must name a device: use auto for the first one");
            check.atLeast("port", port, 1, "must be 1 or more: ports of a device count from 1");
            check.atLeast("gidIndex", gidIndex, 0, "must be 0 or more: leave it out to choose by type");
            check.powerOfTwoBytes(
                    "mtu",
                    mtu,
                    256,
                    4096,
                    "must be a path MTU, a power of two from 256B to 4096B: use 256B, 512B, 1KB, 2KB or 4KB, or leave it out to take the port's");
        }
    }

    /** Settings of the datagram transport. */
    public static final class Ud implements CheckedSettings {

        /** Datagrams posted and not yet complete. */
        private int sendDepth = 256;

        /**
         * Packets that can arrive before the engine looks. Each session owns one of these entries, the rest is lent to
         * busy ones.
         */
        private int receiveDepth = 1024;

        /** Longest packet that is sent inline. When not set, what the device offers. */
        private @Nullable DataSize inlineSize;

        /** Completions taken from the device at a time. */
        private int pollBatch = 16;

        /** Packets handed to the device with one call. */
        private int postBatch = 16;

        /** Whether small messages to one peer that leave at the same time share a packet. */
        private boolean batching = true;

        /**
         * Whether sessions slow down when their round trips grow, for networks where many send to one. To be set at both
         * ends: a server then says how long its methods took, which else counts as the network's time. Streams are not
         * slowed down.
         */
        private boolean congestionControl;

        public int getSendDepth() {
            return sendDepth;
        }

        public void setSendDepth(int sendDepth) {
            this.sendDepth = sendDepth;
        }

        public int getReceiveDepth() {
            return receiveDepth;
        }

        public void setReceiveDepth(int receiveDepth) {
            this.receiveDepth = receiveDepth;
        }

        public @Nullable DataSize getInlineSize() {
            return inlineSize;
        }

        public void setInlineSize(@Nullable DataSize inlineSize) {
            this.inlineSize = inlineSize;
        }

        public int getPollBatch() {
            return pollBatch;
        }

        public void setPollBatch(int pollBatch) {
            this.pollBatch = pollBatch;
        }

        public int getPostBatch() {
            return postBatch;
        }

        public void setPostBatch(int postBatch) {
            this.postBatch = postBatch;
        }

        public boolean isBatching() {
            return batching;
        }

        public void setBatching(boolean batching) {
            this.batching = batching;
        }

        public boolean isCongestionControl() {
            return congestionControl;
        }

        public void setCongestionControl(boolean congestionControl) {
            this.congestionControl = congestionControl;
        }

        @Override
        public void check(SettingsCheck check) {
            check.atLeast("sendDepth", sendDepth, 1, "must be 1 or more: 256 suits most");
            check.atLeast("receiveDepth", receiveDepth, 1, "must be 1 or more: 1024 suits most");
            check.bytes(
                    "inlineSize",
                    inlineSize,
                    0,
                    4096,
                    "must be 0B to 4KB: leave it out to take what the device offers");
            check.within("pollBatch", pollBatch, 1, 256, "must be 1 to 256: 16 suits most");
            check.within("postBatch", postBatch, 1, 256, "must be 1 to 256: 16 suits most");
        }
    }

    /** Settings of the connected transport. */
    public static final class Rc implements CheckedSettings {

        /** RDMA READs of one connection that may be posted. */
        private int sendDepth = 64;

        /** RDMA READs of one connection outstanding at the NIC. The smaller value of both sides counts. */
        private int maxReads = 16;

        /** Maximum RDMA READs of the NIC in flight, over all polling threads and connections. Peers share them. */
        private int readBudget = 64;

        /** How long the RDMA READs of a session may complete nothing before it ends. Higher: slow peers hold their part longer. */
        private Duration readTimeout = Duration.ofSeconds(3);

        /** Exponent n of the acknowledge time-out, which is 4.096 us x 2^n: 1 to 31. */
        private int ackTimeoutExponent = 14;

        /** Retries before a connection gives up, 0 to 7. */
        private int retryCount = 7;

        public int getSendDepth() {
            return sendDepth;
        }

        public void setSendDepth(int sendDepth) {
            this.sendDepth = sendDepth;
        }

        public int getMaxReads() {
            return maxReads;
        }

        public void setMaxReads(int maxReads) {
            this.maxReads = maxReads;
        }

        public int getReadBudget() {
            return readBudget;
        }

        public void setReadBudget(int readBudget) {
            this.readBudget = readBudget;
        }

        public Duration getReadTimeout() {
            return readTimeout;
        }

        public void setReadTimeout(Duration readTimeout) {
            this.readTimeout = readTimeout;
        }

        public int getAckTimeoutExponent() {
            return ackTimeoutExponent;
        }

        public void setAckTimeoutExponent(int ackTimeoutExponent) {
            this.ackTimeoutExponent = ackTimeoutExponent;
        }

        public int getRetryCount() {
            return retryCount;
        }

        public void setRetryCount(int retryCount) {
            this.retryCount = retryCount;
        }

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
            check.within("ackTimeoutExponent", ackTimeoutExponent, 1, 31, "must be 1 to 31: 14 waits 67 ms");
            check.within("retryCount", retryCount, 0, 7, "must be 0 to 7: 7 unless you must fail fast");
        }
    }

    /** Settings of registered memory. */
    public static final class Memory implements CheckedSettings {

        /** Most memory that is registered. */
        private DataSize maxSize = DataSize.ofGigabytes(1);

        /** Memory that is registered at a time: a power of two. */
        private DataSize chunkSize = DataSize.ofMegabytes(16);

        /** Most memory that one session may have lent to its peer. */
        private DataSize maxLentPerSession = DataSize.ofGigabytes(1);

        /** Whether chunks come from huge pages as long as there are some, on RDMA devices. */
        private boolean hugePages;

        public DataSize getMaxSize() {
            return maxSize;
        }

        public void setMaxSize(DataSize maxSize) {
            this.maxSize = maxSize;
        }

        public DataSize getChunkSize() {
            return chunkSize;
        }

        public void setChunkSize(DataSize chunkSize) {
            this.chunkSize = chunkSize;
        }

        public DataSize getMaxLentPerSession() {
            return maxLentPerSession;
        }

        public void setMaxLentPerSession(DataSize maxLentPerSession) {
            this.maxLentPerSession = maxLentPerSession;
        }

        public boolean isHugePages() {
            return hugePages;
        }

        public void setHugePages(boolean hugePages) {
            this.hugePages = hugePages;
        }

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
                    "must be 64KB or more: a session lends at least one message");
        }
    }

    /** Settings of the polling threads. */
    public static final class Polling implements CheckedSettings {

        /** Polling threads, each with an engine of its own; sessions are spread over them. */
        private int threads = 1;

        /**
         * What a polling thread does without work: 'adaptive' polls for a while and then sleeps, 'busy' polls on, 'event'
         * sleeps at once.
         */
        private IdlePolicy idleStrategy = IdlePolicy.ADAPTIVE;

        /** Turns without work before an adaptive thread sleeps; in most it offers its core to other threads. */
        private int idleSpins = 5000;

        /**
         * Longest sleep while something is due; a packet that arrives meanwhile waits as long where the device has no
         * completion channels.
         */
        private Duration maxSleep = Duration.ofMillis(1);

        /** Time without a turn of a polling thread after which it counts as stuck. */
        private Duration stallThreshold = Duration.ofSeconds(5);

        /** Processors that the polling threads are bound to, one after the other. When empty, any. Linux only. */
        private List<Integer> cpus = new ArrayList<>();

        /** Name of the first thread. When not set, 'rdma-poll-' and the device. */
        private @Nullable String threadName;

        public int getThreads() {
            return threads;
        }

        public void setThreads(int threads) {
            this.threads = threads;
        }

        public IdlePolicy getIdleStrategy() {
            return idleStrategy;
        }

        public void setIdleStrategy(IdlePolicy idleStrategy) {
            this.idleStrategy = idleStrategy;
        }

        public int getIdleSpins() {
            return idleSpins;
        }

        public void setIdleSpins(int idleSpins) {
            this.idleSpins = idleSpins;
        }

        public Duration getMaxSleep() {
            return maxSleep;
        }

        public void setMaxSleep(Duration maxSleep) {
            this.maxSleep = maxSleep;
        }

        public Duration getStallThreshold() {
            return stallThreshold;
        }

        public void setStallThreshold(Duration stallThreshold) {
            this.stallThreshold = stallThreshold;
        }

        public List<Integer> getCpus() {
            return cpus;
        }

        public void setCpus(List<Integer> cpus) {
            this.cpus = cpus;
        }

        public @Nullable String getThreadName() {
            return threadName;
        }

        public void setThreadName(@Nullable String threadName) {
            this.threadName = threadName;
        }

        @Override
        public void check(SettingsCheck check) {
            check.within("threads", threads, 1, 64, "must be 1 to 64: 1 suits most");
            check.atLeast("idleSpins", idleSpins, 0, "must be 0 or more: 0 sleeps at once");
            check.longerThanZero("maxSleep", maxSleep);
            check.longerThanZero("stallThreshold", stallThreshold);
        }
    }

    /** Settings of retransmission. */
    public static final class Retransmit implements CheckedSettings {

        /** Time without an answer after which a request is sent again, before answers were timed; doubles each time. */
        private Duration initialTimeout = Duration.ofMillis(20);

        /** Floor of that time once answers were timed, however fast they are. */
        private Duration minTimeout = Duration.ofMillis(5);

        /** Ceiling of that time, however often the request was sent. */
        private Duration maxTimeout = Duration.ofMillis(200);

        /** Times a request is sent without a sign of life before its session is given up. */
        private int maxAttempts = 30;

        public Duration getInitialTimeout() {
            return initialTimeout;
        }

        public void setInitialTimeout(Duration initialTimeout) {
            this.initialTimeout = initialTimeout;
        }

        public Duration getMinTimeout() {
            return minTimeout;
        }

        public void setMinTimeout(Duration minTimeout) {
            this.minTimeout = minTimeout;
        }

        public Duration getMaxTimeout() {
            return maxTimeout;
        }

        public void setMaxTimeout(Duration maxTimeout) {
            this.maxTimeout = maxTimeout;
        }

        public int getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("initialTimeout", initialTimeout);
            check.longerThanZero("minTimeout", minTimeout);
            check.longerThanZero("maxTimeout", maxTimeout);
            check.atLeast("maxAttempts", maxAttempts, 1, "must be 1 or more: 30 suits most");
        }
    }

    /** Settings of heartbeats. */
    public static final class Heartbeat implements CheckedSettings {

        /** Time between heartbeats. */
        private Duration interval = Duration.ofMillis(500);

        /** Silence after which a peer counts as dead. */
        private Duration timeout = Duration.ofSeconds(3);

        public Duration getInterval() {
            return interval;
        }

        public void setInterval(Duration interval) {
            this.interval = interval;
        }

        public Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(Duration timeout) {
            this.timeout = timeout;
        }

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("interval", interval);
            check.longerThanZero("timeout", timeout);
        }
    }

    /** How calls are measured and traced. */
    public static final class Observation {

        /**
         * What hears of each call: 'auto' is 'observation' where there is a tracer or a handler of the application, and
         * else 'timer', which costs little; 'none' is neither.
         */
        private Mode mode = Mode.AUTO;

        public Mode getMode() {
            return mode;
        }

        public void setMode(Mode mode) {
            this.mode = mode;
        }

        /** What hears of each call. */
        public enum Mode {
            /** {@link #OBSERVATION} where a tracer or a handler of the application asks for it, else {@link #TIMER}. */
            AUTO,
            /** Micrometer's Observation API: timers, traces and whatever else handles observations. */
            OBSERVATION,
            /** Timers only, by the same names and tags. */
            TIMER,
            /** Nothing. */
            NONE
        }
    }
}
