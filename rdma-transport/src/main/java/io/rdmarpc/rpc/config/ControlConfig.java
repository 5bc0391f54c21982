package io.rdmarpc.rpc.config;

import java.time.Duration;

/**
 * Settings of the control connections other than timeouts. A peer is identified by the subject of its certificate, or
 * by its address without one. Immutable; start from {@link #DEFAULTS}.
 *
 * @param maxSessions maximum number of client sessions of a server
 * @param maxSessionsPerPeer maximum number of sessions of one peer, or {@link #FAIR_SHARE}
 * @param maxPendingHandshakes maximum number of client connections with an unfinished handshake
 * @param maxLentPerPeer maximum memory lent to one peer, in bytes, or {@link #FAIR_SHARE}
 * @param sessionIdleTimeout time without a call after which a client closes its session; 0 keeps it open
 * @param sessionTokenLifetime how long a server remembers an ended session. A repeated request does not open it again
 *     in that time
 * @param reconnect how a channel reconnects
 * @param security authentication and encryption
 */
public record ControlConfig(
        int maxSessions,
        int maxSessionsPerPeer,
        int maxPendingHandshakes,
        long maxLentPerPeer,
        Duration sessionIdleTimeout,
        Duration sessionTokenLifetime,
        ReconnectConfig reconnect,
        ControlSecurity security) {

    /** Maximum number of sessions of an engine. */
    private static final int MAX_SESSIONS = 1 << 16;

    /** For a limit per peer: half of the capacity that other peers leave free. */
    public static final int FAIR_SHARE = 0;

    /** Default: maximum number of client sessions. */
    public static final int DEFAULT_MAX_SESSIONS = 16384;

    /** Default: maximum number of connections with an unfinished handshake. */
    public static final int DEFAULT_MAX_PENDING_HANDSHAKES = 1024;

    /** Default: how long an ended session is remembered, in seconds. */
    public static final int DEFAULT_TOKEN_LIFETIME_SECONDS = 30;

    /**
     * No authentication, 16384 sessions, 1024 concurrent handshakes, fair shares for each peer, idle sessions stay
     * open.
     */
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
     * Validates the values.
     *
     * @param maxSessions maximum number of client sessions of a server
     * @param maxSessionsPerPeer maximum number of sessions of one peer, or {@link #FAIR_SHARE}
     * @param maxPendingHandshakes maximum number of client connections with an unfinished handshake
     * @param maxLentPerPeer maximum memory lent to one peer, in bytes, or {@link #FAIR_SHARE}
     * @param sessionIdleTimeout time without a call after which a client closes its session; 0 keeps it open
     * @param sessionTokenLifetime how long a server remembers an ended session
     * @param reconnect how a channel reconnects
     * @param security authentication and encryption
     */
    public ControlConfig {
        SettingChecks.require(inRange(maxSessions), "server.max-sessions", maxSessions, "1 to " + MAX_SESSIONS);
        SettingChecks.require(
                maxSessionsPerPeer == FAIR_SHARE || inRange(maxSessionsPerPeer),
                "server.max-sessions-per-peer",
                maxSessionsPerPeer,
                "1 to " + MAX_SESSIONS + ", or 0 for half of what other peers leave free");
        SettingChecks.require(
                inRange(maxPendingHandshakes),
                "server.max-pending-handshakes",
                maxPendingHandshakes,
                "1 to " + MAX_SESSIONS);
        SettingChecks.require(
                maxLentPerPeer == FAIR_SHARE || maxLentPerPeer >= 1 << 16,
                "server.max-lent-per-peer",
                maxLentPerPeer,
                "64 KiB or more, or 0 for half of what other peers leave free");
        SettingChecks.require(
                !sessionIdleTimeout.isNegative(),
                "client.session-idle-timeout",
                sessionIdleTimeout,
                "0, to keep idle sessions open, or more");
        SettingChecks.require(
                !sessionTokenLifetime.isNegative(), "server.session-token-lifetime", sessionTokenLifetime, "0 or more");
    }

    private static boolean inRange(int count) {
        return count >= 1 && count <= MAX_SESSIONS;
    }

    /**
     * Returns a copy with other authentication and encryption.
     *
     * @param newSecurity certificates and token
     * @return the changed copy
     */
    public ControlConfig withSecurity(ControlSecurity newSecurity) {
        return new ControlConfig(
                maxSessions,
                maxSessionsPerPeer,
                maxPendingHandshakes,
                maxLentPerPeer,
                sessionIdleTimeout,
                sessionTokenLifetime,
                reconnect,
                newSecurity);
    }

    /**
     * Returns a copy with another maximum number of sessions of one peer.
     *
     * @param newLimit sessions, or {@link #FAIR_SHARE}
     * @return the changed copy
     */
    public ControlConfig withMaxSessionsPerPeer(int newLimit) {
        return new ControlConfig(
                maxSessions,
                newLimit,
                maxPendingHandshakes,
                maxLentPerPeer,
                sessionIdleTimeout,
                sessionTokenLifetime,
                reconnect,
                security);
    }

    /**
     * Returns a copy with other settings for reconnecting.
     *
     * @param newReconnect pauses and limits
     * @return the changed copy
     */
    public ControlConfig withReconnect(ReconnectConfig newReconnect) {
        return new ControlConfig(
                maxSessions,
                maxSessionsPerPeer,
                maxPendingHandshakes,
                maxLentPerPeer,
                sessionIdleTimeout,
                sessionTokenLifetime,
                newReconnect,
                security);
    }

    /**
     * Returns a copy with another idle timeout of sessions.
     *
     * @param newTimeout time without a call after which a client closes its session; 0 keeps it open
     * @return the changed copy
     */
    public ControlConfig withSessionIdleTimeout(Duration newTimeout) {
        return new ControlConfig(
                maxSessions,
                maxSessionsPerPeer,
                maxPendingHandshakes,
                maxLentPerPeer,
                newTimeout,
                sessionTokenLifetime,
                reconnect,
                security);
    }
}
