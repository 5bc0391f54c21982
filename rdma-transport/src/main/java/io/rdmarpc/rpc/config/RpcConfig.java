package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * Settings of the RPC engine. Immutable. To change some of them, start from {@link #DEFAULTS}:
 * {@snippet :
 * RpcConfig config = RpcConfig.DEFAULTS.toBuilder().maxInFlight(32).build();
 * }
 *
 * @param maxInFlight maximum number of a session's calls in flight, 1 to {@link #MAX_IN_FLIGHT}
 * @param maxQueued maximum number of a session's calls that wait for one in flight; beyond it, calls fail with
 *     {@link io.rdmarpc.rpc.error.RdmaBackpressureException}
 * @param maxMessageBytes maximum size of a message that is accepted or sent, 4 KiB to 1 GiB
 * @param connectTimeout how long a connection and its handshake may take
 * @param maxLentPerSession maximum bytes that one session may have lent to its peer, 64 KiB or more
 * @param retransmit when requests are retransmitted
 * @param heartbeat when a silent peer counts as dead
 * @param traffic pacing and batching
 * @param load how much a server accepts before it rejects calls
 * @param control limits, reconnection and security of the control channel
 */
public record RpcConfig(
        int maxInFlight,
        int maxQueued,
        int maxMessageBytes,
        Duration connectTimeout,
        long maxLentPerSession,
        RetransmitConfig retransmit,
        HeartbeatConfig heartbeat,
        TrafficConfig traffic,
        LoadLimits load,
        ControlConfig control) {

    /** Upper bound of {@link #maxInFlight()}: the field of the wire protocol has no larger value. */
    public static final int MAX_IN_FLIGHT = 256;

    /** Default of {@link #maxInFlight()}. */
    public static final int DEFAULT_MAX_IN_FLIGHT = 8;

    /** Default of {@link #maxQueued()}. */
    public static final int DEFAULT_MAX_QUEUED = 1024;

    /** Default of {@link #maxMessageBytes()}, in MiB. */
    public static final int DEFAULT_MAX_MESSAGE_MEGABYTES = 64;

    /** Default of {@link #connectTimeout()}, in seconds. */
    public static final int DEFAULT_CONNECT_SECONDS = 5;

    /** Default of {@link #maxLentPerSession()}, in GiB. */
    public static final int DEFAULT_LENT_GIGABYTES = 1;

    /** 8 calls in flight, 1024 queued, messages of at most 64 MiB, peers dead after 3 s of silence. */
    public static final RpcConfig DEFAULTS = new RpcConfig(
            DEFAULT_MAX_IN_FLIGHT,
            DEFAULT_MAX_QUEUED,
            DEFAULT_MAX_MESSAGE_MEGABYTES << 20,
            Duration.ofSeconds(DEFAULT_CONNECT_SECONDS),
            (long) DEFAULT_LENT_GIGABYTES << 30,
            RetransmitConfig.DEFAULTS,
            HeartbeatConfig.DEFAULTS,
            TrafficConfig.DEFAULTS,
            LoadLimits.NONE,
            ControlConfig.DEFAULTS);

    /**
     * Validates the values.
     *
     * @param maxInFlight maximum number of a session's calls in flight, 1 to {@link #MAX_IN_FLIGHT}
     * @param maxQueued calls of a session that may wait until one in flight completes
     * @param maxMessageBytes maximum size of a message that is accepted or sent, 4 KiB to 1 GiB
     * @param connectTimeout how long a connection and its handshake may take
     * @param maxLentPerSession maximum bytes that one session may have lent to its peer, 64 KiB or more
     * @param retransmit when requests are retransmitted
     * @param heartbeat when a silent peer counts as dead
     * @param traffic pacing and batching
     * @param load how much a server accepts before it rejects calls
     * @param control limits, reconnection and security of the control channel
     * @throws RdmaConfigurationException if a number is out of its range
     */
    public RpcConfig {
        SettingChecks.require(
                maxInFlight >= 1 && maxInFlight <= MAX_IN_FLIGHT,
                "client.max-in-flight",
                maxInFlight,
                "1 to " + MAX_IN_FLIGHT);
        SettingChecks.require(maxQueued >= 0, "client.max-queued", maxQueued, "0 or more");
        SettingChecks.require(
                maxMessageBytes >= 4096 && maxMessageBytes <= 1 << 30,
                "max-message-size",
                maxMessageBytes,
                "4 KiB to 1 GiB");
        SettingChecks.positive(connectTimeout, "connect-timeout");
        SettingChecks.require(
                maxLentPerSession >= 1 << 16, "memory.max-lent-per-session", maxLentPerSession, "64 KiB or more");
    }

    /**
     * Returns a builder that starts with these settings.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Changes some settings of an {@link RpcConfig}. Not thread-safe. */
    public static final class Builder {

        private int maxInFlight;
        private int maxQueued;
        private int maxMessageBytes;
        private Duration connectTimeout;
        private long maxLentPerSession;
        private RetransmitConfig retransmit;
        private HeartbeatConfig heartbeat;
        private TrafficConfig traffic;
        private LoadLimits load;
        private ControlConfig control;

        private Builder(RpcConfig from) {
            this.maxInFlight = from.maxInFlight;
            this.maxQueued = from.maxQueued;
            this.maxMessageBytes = from.maxMessageBytes;
            this.connectTimeout = from.connectTimeout;
            this.maxLentPerSession = from.maxLentPerSession;
            this.retransmit = from.retransmit;
            this.heartbeat = from.heartbeat;
            this.traffic = from.traffic;
            this.load = from.load;
            this.control = from.control;
        }

        /**
         * Sets {@link RpcConfig#maxInFlight()}.
         *
         * @param value maximum number of a session's calls in flight, 1 to {@link RpcConfig#MAX_IN_FLIGHT}
         * @return this builder
         */
        public Builder maxInFlight(int value) {
            this.maxInFlight = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#maxQueued()}.
         *
         * @param value calls of a session that may wait until one in flight completes
         * @return this builder
         */
        public Builder maxQueued(int value) {
            this.maxQueued = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#maxMessageBytes()}.
         *
         * @param value maximum size of a message that is accepted or sent, 4 KiB to 1 GiB
         * @return this builder
         */
        public Builder maxMessageBytes(int value) {
            this.maxMessageBytes = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#connectTimeout()}.
         *
         * @param value how long a connection and its handshake may take
         * @return this builder
         */
        public Builder connectTimeout(Duration value) {
            this.connectTimeout = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#maxLentPerSession()}.
         *
         * @param value maximum bytes that one session may have lent to its peer, 64 KiB or more
         * @return this builder
         */
        public Builder maxLentPerSession(long value) {
            this.maxLentPerSession = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#retransmit()}.
         *
         * @param value when requests are retransmitted
         * @return this builder
         */
        public Builder retransmit(RetransmitConfig value) {
            this.retransmit = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#heartbeat()}.
         *
         * @param value when a silent peer counts as dead
         * @return this builder
         */
        public Builder heartbeat(HeartbeatConfig value) {
            this.heartbeat = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#traffic()}.
         *
         * @param value pacing and batching
         * @return this builder
         */
        public Builder traffic(TrafficConfig value) {
            this.traffic = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#load()}.
         *
         * @param value how much a server accepts before it rejects calls
         * @return this builder
         */
        public Builder load(LoadLimits value) {
            this.load = value;
            return this;
        }

        /**
         * Sets {@link RpcConfig#control()}.
         *
         * @param value limits, reconnection and security of the control channel
         * @return this builder
         */
        public Builder control(ControlConfig value) {
            this.control = value;
            return this;
        }

        /**
         * Returns the changed settings.
         *
         * @return the settings
         * @throws RdmaConfigurationException if a number is out of its range
         */
        public RpcConfig build() {
            return new RpcConfig(
                    maxInFlight,
                    maxQueued,
                    maxMessageBytes,
                    connectTimeout,
                    maxLentPerSession,
                    retransmit,
                    heartbeat,
                    traffic,
                    load,
                    control);
        }
    }
}
