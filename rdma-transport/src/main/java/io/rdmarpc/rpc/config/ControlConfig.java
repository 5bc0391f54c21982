package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * Settings of the control channel beyond its time-outs. A peer is the subject of its certificate; without one, the address
 * that it comes from. Immutable; start from {@link #DEFAULTS}.
 *
 * @param maxSessions sessions of clients that a server takes
 * @param maxSessionsPerPeer sessions it takes from one peer, or {@link #FAIR_SHARE}
 * @param maxPendingHandshakes connections of clients that have not finished their handshake
 * @param maxBytesPerPeer memory lent to one peer at a time, or {@link #FAIR_SHARE}
 * @param sessionIdleTimeout time without a call after which a client closes its session; 0 keeps it
 * @param tokenLifetime how long a server remembers a session that has ended, so that its opening repeated makes no other
 * @param reconnect how a channel comes back
 * @param security who may connect
 */
public record ControlConfig(
        int maxSessions,
        int maxSessionsPerPeer,
        int maxPendingHandshakes,
        long maxBytesPerPeer,
        Duration sessionIdleTimeout,
        Duration tokenLifetime,
        ReconnectConfig reconnect,
        ControlSecurity security) {

    /** Most sessions of an engine. */
    private static final int MOST_SESSIONS = 1 << 16;

    /** Of a limit of one peer: half of what other peers leave free. */
    public static final int FAIR_SHARE = 0;

    /** Default: sessions of clients. */
    public static final int DEFAULT_MAX_SESSIONS = 16384;

    /** Default: connections that have not finished their handshake. */
    public static final int DEFAULT_MAX_PENDING_HANDSHAKES = 1024;

    /** Default: time that an ended session is remembered, in seconds. */
    public static final int DEFAULT_TOKEN_LIFETIME_SECONDS = 30;

    /** Everybody may connect, 16384 sessions, 1024 handshakes at a time, fair shares for each peer, sessions stay. */
    public static final ControlConfig DEFAULTS = new ControlConfig(
            DEFAULT_MAX_SESSIONS,
            FAIR_SHARE,
            DEFAULT_MAX_PENDING_HANDSHAKES,
            FAIR_SHARE,
            Duration.ZERO,
            Duration.ofSeconds(DEFAULT_TOKEN_LIFETIME_SECONDS),
            ReconnectConfig.DEFAULTS,
            ControlSecurity.NONE);

    /**
     * Checks the numbers.
     *
     * @param maxSessions sessions that a server takes
     * @param maxSessionsPerPeer sessions it takes from one peer, or {@link #FAIR_SHARE}
     * @param maxPendingHandshakes connections that have not finished their handshake
     * @param maxBytesPerPeer memory lent to one peer at a time, or {@link #FAIR_SHARE}
     * @param sessionIdleTimeout time without a call after which a session is closed
     * @param tokenLifetime how long a server remembers a session that has ended
     * @param reconnect how a channel comes back
     * @param security who may connect
     */
    public ControlConfig {
        require(inRange(maxSessions), "server.max-sessions", maxSessions, "1 to " + MOST_SESSIONS);
        require(
                maxSessionsPerPeer == FAIR_SHARE || inRange(maxSessionsPerPeer),
                "server.max-sessions-per-peer",
                maxSessionsPerPeer,
                "1 to " + MOST_SESSIONS + ", or 0 for half of what other peers leave free");
        require(
                inRange(maxPendingHandshakes),
                "server.max-pending-handshakes",
                maxPendingHandshakes,
                "1 to " + MOST_SESSIONS);
        require(
                maxBytesPerPeer == FAIR_SHARE || maxBytesPerPeer >= 1 << 16,
                "server.max-lent-per-peer",
                maxBytesPerPeer,
                "64 KiB or more, or 0 for half of what other peers leave free");
        require(
                !sessionIdleTimeout.isNegative(),
                "client.session-idle-timeout",
                sessionIdleTimeout,
                "0, for sessions that stay, or more");
        require(!tokenLifetime.isNegative(), "token lifetime", tokenLifetime, "0 or more");
    }

    private static boolean inRange(int count) {
        return count >= 1 && count <= MOST_SESSIONS;
    }

    private static void require(boolean ok, String setting, Object value, String allowed) {
        if (!ok) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be " + allowed, "Change it, or leave it out for the default");
        }
    }

    /**
     * Changes who may connect.
     *
     * @param newSecurity certificates and token
     * @return the changed copy
     */
    public ControlConfig withSecurity(ControlSecurity newSecurity) {
        return new ControlConfig(
                maxSessions,
                maxSessionsPerPeer,
                maxPendingHandshakes,
                maxBytesPerPeer,
                sessionIdleTimeout,
                tokenLifetime,
                reconnect,
                newSecurity);
    }

    /**
     * Changes how many sessions a server takes from one peer.
     *
     * @param newLimit sessions, or {@link #FAIR_SHARE}
     * @return the changed copy
     */
    public ControlConfig withMaxSessionsPerPeer(int newLimit) {
        return new ControlConfig(
                maxSessions,
                newLimit,
                maxPendingHandshakes,
                maxBytesPerPeer,
                sessionIdleTimeout,
                tokenLifetime,
                reconnect,
                security);
    }

    /**
     * Changes how channels come back.
     *
     * @param newReconnect pauses and limits
     * @return the changed copy
     */
    public ControlConfig withReconnect(ReconnectConfig newReconnect) {
        return new ControlConfig(
                maxSessions,
                maxSessionsPerPeer,
                maxPendingHandshakes,
                maxBytesPerPeer,
                sessionIdleTimeout,
                tokenLifetime,
                newReconnect,
                security);
    }

    /**
     * Changes when idle sessions are closed.
     *
     * @param newTimeout time without a call, 0 to keep them
     * @return the changed copy
     */
    public ControlConfig withSessionIdleTimeout(Duration newTimeout) {
        return new ControlConfig(
                maxSessions,
                maxSessionsPerPeer,
                maxPendingHandshakes,
                maxBytesPerPeer,
                newTimeout,
                tokenLifetime,
                reconnect,
                security);
    }
}
