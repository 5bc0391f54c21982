package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.config.ControlConfig;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the server, which offers services.
 *
 * @param enabled Whether beans that implement a service are offered to other processes.
 * @param address Address to listen on. When not set, all addresses of this host.
 * @param port Control port to listen on, 0 for any free one.
 * @param maxConcurrentCalls Maximum calls of all clients that have no response yet. Further calls are rejected. Raising
 *     it uses more threads and memory.
 * @param maxQueueTime How long a call may wait for a thread after its arrival. Calls that waited longer are rejected.
 *     0 sets no limit. Raising it rejects fewer calls during bursts and responds later.
 * @param maxSessions Maximum sessions of clients. Further sessions are rejected. Raising it also requires a larger
 *     'rdma.ud.receive-depth'.
 * @param maxSessionsPerPeer Maximum sessions of one peer: clients with one certificate, or without certificates clients
 *     of one address. Raising it lets one peer use more of the common limit. When not set, half of the sessions that
 *     other peers leave free.
 * @param maxPendingHandshakes Maximum connections that have not finished their handshake. Beyond it, a new connection
 *     replaces the oldest one of the address with the most. Raising it accepts larger bursts of clients.
 * @param maxLentPerPeer Maximum memory that is lent to one peer at a time. Raising it lets one peer use more of the
 *     common limit. When not set, half of the part of rdma.memory.max-size that others leave free.
 * @param sessionTokenLifetime How long the server remembers an ended session, so that a repeated request to open it
 *     creates no second one. Raising it tolerates longer outages of the control connection.
 * @param softFallback Whether a server on an RDMA device also accepts clients over a software RNIC, if its device
 *     does not reach them.
 * @param services Peers that may call a service, by the service's name in brackets. Any peer may call a service that
 *     is not listed.
 * @param registration How the control port is published in a registry.
 * @param error What failures contain.
 * @param shutdown Settings of the server's shutdown.
 */
public record RdmaServerProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable InetAddress address,
        @DefaultValue("" + DEFAULT_PORT) int port,
        @DefaultValue("256") int maxConcurrentCalls,
        @DefaultValue("0s") Duration maxQueueTime,

        @DefaultValue("" + ControlConfig.DEFAULT_MAX_SESSIONS)
        int maxSessions,

        @Nullable Integer maxSessionsPerPeer,

        @DefaultValue("" + ControlConfig.DEFAULT_MAX_PENDING_HANDSHAKES)
        int maxPendingHandshakes,

        @Nullable DataSize maxLentPerPeer,

        @DefaultValue(ControlConfig.DEFAULT_TOKEN_LIFETIME_SECONDS + "s")
        Duration sessionTokenLifetime,

        @DefaultValue("true") boolean softFallback,
        @DefaultValue Map<String, Service> services,
        @DefaultValue Registration registration,
        @DefaultValue Failure error,
        @DefaultValue Shutdown shutdown)
        implements CheckedSettings {

    /** Control port of servers, and of targets whose address has none. */
    public static final int DEFAULT_PORT = 7471;

    @Override
    public void check(SettingsCheck check) {
        check.within("port", port, 0, 65535, "must be a TCP port, 0 to 65535: 0 takes any free one");
        check.atLeast("maxConcurrentCalls", maxConcurrentCalls, 1, "must be 1 or more: 256 suits most");
        check.notNegative("maxQueueTime", maxQueueTime);
        check.within("maxSessions", maxSessions, 1, 65536, "must be 1 to 65536: 16384 suits most");
        check.within(
                "maxSessionsPerPeer",
                maxSessionsPerPeer,
                1,
                65536,
                "must be 1 to 65536: remove the setting to allow half of the sessions that others leave free");
        check.within("maxPendingHandshakes", maxPendingHandshakes, 1, 65536, "must be 1 to 65536: 1024 suits most");
        check.bytes(
                "maxLentPerPeer",
                maxLentPerPeer,
                64 << 10,
                Long.MAX_VALUE,
                "must be 64KB or more: a session must be able to lend at least one message");
        check.notNegative("sessionTokenLifetime", sessionTokenLifetime);
        check.nested("registration", registration);
    }

    /**
     * A service and the peers that may call it.
     *
     * @param allow Peers that may call the service, by their certificate: CN=name, a whole subject, dns:, ip:, uri:
     *     or email: with a subject alternative name, or * for any trusted certificate. When empty, no peer.
     */
    public record Service(@DefaultValue List<String> allow) {}

    /**
     * How the control port is published in a registry, if the application has one.
     *
     * @param enabled Whether the control port is published with the application's instance.
     * @param quietPeriod How long a server waits between leaving the registry and rejecting calls, so that clients
     *     notice it first. Raising it makes shutdown slower.
     */
    public record Registration(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("500ms") Duration quietPeriod) implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.notNegative("quietPeriod", quietPeriod);
        }
    }

    /**
     * What failures contain.
     *
     * @param includeDebug Whether a failure has the server's stack trace if its caller requests it. Stack traces can
     *     contain secrets, so use this during development only.
     */
    public record Failure(@DefaultValue("false") boolean includeDebug) {}

    /**
     * Settings of the server's shutdown.
     *
     * @param gracePeriod How long calls in flight may take at shutdown, at most nine tenths of
     *     'spring.lifecycle.timeout-per-shutdown-phase'. 0 cancels them immediately, and a negative value selects the
     *     maximum. Raising it makes shutdown slower.
     */
    public record Shutdown(@DefaultValue("30s") Duration gracePeriod) {}
}
