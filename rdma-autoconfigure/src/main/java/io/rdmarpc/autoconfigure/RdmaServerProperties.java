package io.rdmarpc.autoconfigure;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of offering services.
 *
 * @param enabled Whether beans that implement a service are offered to other processes.
 * @param address Address to listen on. When not set, all of this host.
 * @param port Control port to listen on, 0 for any free one.
 * @param maxConcurrentCalls Calls that may be unanswered at a time; one more is refused, a large one before it is fetched when one polling thread has them all.
 * @param maxQueueTime Time a call may wait for a thread once it is here; one that waited longer is refused. 0 allows any time.
 * @param maxSessions Sessions of clients at a time; one more is refused.
 * @param maxSessionsPerPeer Sessions of clients of one host.
 * @param maxPendingHandshakes Connections of clients that have not finished their handshake.
 * @param maxBytesPerPeer Memory that may be lent to clients of one host.
 * @param tokenLifetime Time that a session which has ended is remembered, so that its opening repeated makes no other.
 * @param softFallback Whether a server on an RDMA device can also be reached through a software RNIC, by clients that its
 *     device does not reach.
 * @param services Who may call a service, by its name in brackets. Everybody may call one that is not listed.
 * @param registration How the control port gets into a registry.
 * @param shutdown Settings of stopping.
 */
public record RdmaServerProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable InetAddress address,

        @DefaultValue("" + DEFAULT_PORT)
        @Min(value = 0, message = "must be a TCP port, 0 to 65535: 0 takes any free one")
        @Max(value = 65535, message = "must be a TCP port, 0 to 65535: 0 takes any free one")
        int port,

        @DefaultValue("256") @Min(value = 1, message = "must be 1 or more: 256 suits most")
        int maxConcurrentCalls,

        @DefaultValue("0s") @NotNegative Duration maxQueueTime,

        @DefaultValue("16384")
        @Min(value = 1, message = "must be 1 to 65536: 16384 suits most")
        @Max(value = 65536, message = "must be 1 to 65536: 16384 suits most")
        int maxSessions,

        @DefaultValue("16384")
        @Min(value = 1, message = "must be 1 to 65536: leave it out to let one host take all")
        @Max(value = 65536, message = "must be 1 to 65536: leave it out to let one host take all")
        int maxSessionsPerPeer,

        @DefaultValue("1024")
        @Min(value = 1, message = "must be 1 to 65536: 1024 suits most")
        @Max(value = 65536, message = "must be 1 to 65536: 1024 suits most")
        int maxPendingHandshakes,

        @DefaultValue("1GB")
        @ByteSize(
                min = 64 << 10,
                max = Long.MAX_VALUE,
                message = "must be 64KB or more: a session lends at least one message")
        DataSize maxBytesPerPeer,

        @DefaultValue("30s") @NotNegative Duration tokenLifetime,
        @DefaultValue("true") boolean softFallback,
        @DefaultValue Map<String, @Valid Service> services,
        @Valid @DefaultValue Registration registration,
        @Valid @DefaultValue Shutdown shutdown) {

    static final int DEFAULT_PORT = 7471;

    /**
     * A service and who may call it.
     *
     * @param allow Peers that may call it, as their certificates describe them: CN=name, a whole subject, dns:, ip:, uri: or
     *     email: with a subject alternative name, or * for any that is trusted. Nobody when empty.
     */
    public record Service(@DefaultValue List<String> allow) {}

    /**
     * How the control port gets into a registry, where the application has one.
     *
     * @param enabled Whether the control port is published with the application's instance.
     * @param quietPeriod Time between leaving the registry and refusing calls, so that clients learn of it first.
     */
    public record Registration(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("500ms") @NotNegative Duration quietPeriod) {}

    /**
     * Settings of stopping a server.
     *
     * @param gracePeriod Time that calls in flight may take; 0 gives them none. No more than nine tenths of
     *     'spring.lifecycle.timeout-per-shutdown-phase', which is also what a negative time means.
     */
    public record Shutdown(@DefaultValue("30s") Duration gracePeriod) {}
}
