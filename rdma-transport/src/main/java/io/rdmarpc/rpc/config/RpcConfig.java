package io.rdmarpc.rpc.config;

import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * Settings of the engine and its control channel. Immutable; start from {@link #DEFAULTS}.
 *
 * @param window calls of a session in flight at a time, 1 to {@link #LARGEST_WINDOW}
 * @param backlog calls of a session that may wait for the window before {@link RdmaBackpressureException}
 * @param maxMessageBytes longest message accepted and sent
 * @param retransmitTimeout time without an answer after which a request is sent again, before any answer was timed
 * @param retransmitLimit sends of one request without any sign of life from the peer before the session is given up
 * @param heartbeatInterval time between heartbeats on the control channel
 * @param heartbeatTimeout silence on the control channel after which the peer counts as dead
 * @param connectTimeout time for a connection and its handshake
 * @param lendingMaxBytes memory that one session may have lent to its peer
 * @param traffic pacing and repetition of what is sent
 * @param load how much a server takes on before it refuses calls
 * @param control limits, reconnection and security of the control channel
 */
public record RpcConfig(
        int window,
        int backlog,
        int maxMessageBytes,
        Duration retransmitTimeout,
        int retransmitLimit,
        Duration heartbeatInterval,
        Duration heartbeatTimeout,
        Duration connectTimeout,
        long lendingMaxBytes,
        TrafficConfig traffic,
        LoadLimits load,
        ControlConfig control) {

    /** The most calls of a session in flight: as many as the word can say in which a server allows them. */
    public static final int LARGEST_WINDOW = 256;

    /** Default: calls of a session in flight at a time. */
    public static final int DEFAULT_WINDOW = 8;

    /** Default: calls of a session that may wait for the window. */
    public static final int DEFAULT_BACKLOG = 1024;

    /** Default: longest message, in MiB. */
    public static final int DEFAULT_MAX_MESSAGE_MEGABYTES = 64;

    /** Default: time without a response before a request is sent again, in milliseconds. */
    public static final int DEFAULT_RETRANSMIT_MILLIS = 20;

    /** Default: sends of one request without a sign of life. */
    public static final int DEFAULT_RETRANSMIT_LIMIT = 30;

    /** Default: time between heartbeats, in milliseconds. */
    public static final int DEFAULT_HEARTBEAT_MILLIS = 500;

    /** Default: silence after which a peer counts as dead, in seconds. */
    public static final int DEFAULT_HEARTBEAT_TIMEOUT_SECONDS = 3;

    /** Default: time for a connection and its handshake, in seconds. */
    public static final int DEFAULT_CONNECT_SECONDS = 5;

    /** Default: memory that one session may have lent to its peer, in GiB. */
    public static final int DEFAULT_LENDING_GIGABYTES = 1;

    /** Window 8, backlog 1024, messages to 64 MiB, peers declared dead after 3 s of silence. */
    public static final RpcConfig DEFAULTS = new RpcConfig(
            DEFAULT_WINDOW,
            DEFAULT_BACKLOG,
            DEFAULT_MAX_MESSAGE_MEGABYTES << 20,
            Duration.ofMillis(DEFAULT_RETRANSMIT_MILLIS),
            DEFAULT_RETRANSMIT_LIMIT,
            Duration.ofMillis(DEFAULT_HEARTBEAT_MILLIS),
            Duration.ofSeconds(DEFAULT_HEARTBEAT_TIMEOUT_SECONDS),
            Duration.ofSeconds(DEFAULT_CONNECT_SECONDS),
            (long) DEFAULT_LENDING_GIGABYTES << 30);

    /**
     * Takes the defaults for what is sent and when, and for the control channel, and takes on every call.
     *
     * @param window calls of a session in flight at a time, 1 to {@link #LARGEST_WINDOW}
     * @param backlog calls of a session that may wait for the window
     * @param maxMessageBytes longest message accepted and sent
     * @param retransmitTimeout first interval before a request is sent again
     * @param retransmitLimit sends of one request without any sign of life
     * @param heartbeatInterval time between heartbeats
     * @param heartbeatTimeout silence after which the peer counts as dead
     * @param connectTimeout time for a connection and its handshake
     * @param lendingMaxBytes memory that one session may have lent to its peer
     */
    public RpcConfig(
            int window,
            int backlog,
            int maxMessageBytes,
            Duration retransmitTimeout,
            int retransmitLimit,
            Duration heartbeatInterval,
            Duration heartbeatTimeout,
            Duration connectTimeout,
            long lendingMaxBytes) {
        this(
                window,
                backlog,
                maxMessageBytes,
                retransmitTimeout,
                retransmitLimit,
                heartbeatInterval,
                heartbeatTimeout,
                connectTimeout,
                lendingMaxBytes,
                TrafficConfig.DEFAULTS,
                LoadLimits.NONE,
                ControlConfig.DEFAULTS);
    }

    /**
     * Checks the numbers.
     *
     * @param window calls of a session in flight at a time, 1 to {@link #LARGEST_WINDOW}
     * @param backlog calls of a session that may wait for the window
     * @param maxMessageBytes longest message accepted and sent
     * @param retransmitTimeout first interval before a request is sent again
     * @param retransmitLimit sends of one request without any sign of life
     * @param heartbeatInterval time between heartbeats
     * @param heartbeatTimeout silence after which the peer counts as dead
     * @param connectTimeout time for a connection and its handshake
     * @param lendingMaxBytes memory that one session may have lent to its peer
     * @param traffic pacing and repetition of what is sent
     * @param load how much a server takes on before it refuses calls
     * @param control limits, reconnection and security of the control channel
     */
    public RpcConfig {
        require(window >= 1 && window <= LARGEST_WINDOW, "client.max-in-flight", window, "1 to " + LARGEST_WINDOW);
        require(backlog >= 0, "client.max-queued", backlog, "0 or more");
        require(
                maxMessageBytes >= 4096 && maxMessageBytes <= 1 << 30,
                "max-message-size",
                maxMessageBytes,
                "4 KiB to 1 GiB");
        require(retransmitLimit >= 1, "retransmit.max-attempts", retransmitLimit, "1 or more");
        positive(retransmitTimeout, "retransmit.initial-timeout");
        positive(heartbeatInterval, "heartbeat.interval");
        positive(connectTimeout, "connect-timeout");
        require(
                heartbeatTimeout.compareTo(heartbeatInterval) > 0,
                "heartbeat.timeout",
                heartbeatTimeout,
                "longer than heartbeat.interval " + heartbeatInterval);
        require(lendingMaxBytes >= 1 << 16, "memory.max-lent-per-session", lendingMaxBytes, "64 KiB or more");
    }

    /**
     * Changes the window.
     *
     * @param newWindow calls of a session in flight at a time, 1 to {@link #LARGEST_WINDOW}
     * @return the changed copy
     */
    public RpcConfig withWindow(int newWindow) {
        return new RpcConfig(
                newWindow,
                backlog,
                maxMessageBytes,
                retransmitTimeout,
                retransmitLimit,
                heartbeatInterval,
                heartbeatTimeout,
                connectTimeout,
                lendingMaxBytes,
                traffic,
                load,
                control);
    }

    /**
     * Changes pacing and repetition.
     *
     * @param newTraffic the new settings
     * @return the changed copy
     */
    public RpcConfig withTraffic(TrafficConfig newTraffic) {
        return new RpcConfig(
                window,
                backlog,
                maxMessageBytes,
                retransmitTimeout,
                retransmitLimit,
                heartbeatInterval,
                heartbeatTimeout,
                connectTimeout,
                lendingMaxBytes,
                newTraffic,
                load,
                control);
    }

    /**
     * Changes how much a server takes on.
     *
     * @param newLoad the new limits
     * @return the changed copy
     */
    public RpcConfig withLoad(LoadLimits newLoad) {
        return new RpcConfig(
                window,
                backlog,
                maxMessageBytes,
                retransmitTimeout,
                retransmitLimit,
                heartbeatInterval,
                heartbeatTimeout,
                connectTimeout,
                lendingMaxBytes,
                traffic,
                newLoad,
                control);
    }

    /**
     * Changes the settings of the control channel.
     *
     * @param newControl limits, reconnection and security
     * @return the changed copy
     */
    public RpcConfig withControl(ControlConfig newControl) {
        return new RpcConfig(
                window,
                backlog,
                maxMessageBytes,
                retransmitTimeout,
                retransmitLimit,
                heartbeatInterval,
                heartbeatTimeout,
                connectTimeout,
                lendingMaxBytes,
                traffic,
                load,
                newControl);
    }

    private static void positive(Duration value, String setting) {
        require(!value.isNegative() && !value.isZero(), setting, value, "longer than 0");
    }

    private static void require(boolean ok, String setting, Object value, String allowed) {
        if (!ok) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be " + allowed, "Change it, or leave it out for the default");
        }
    }
}
