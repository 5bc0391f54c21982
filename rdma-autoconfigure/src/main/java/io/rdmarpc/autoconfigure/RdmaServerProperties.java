package io.rdmarpc.autoconfigure;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of offering services.
 *
 * @param enabled Whether beans that implement a service are offered to other processes.
 * @param address Address to listen on. When not set, all of this host.
 * @param port Control port to listen on, 0 for any free one.
 * @param maxConcurrentCalls Calls that may be unanswered at a time; one more is refused.
 * @param maxQueueTime Time a call may wait for a thread; one that waited longer is refused. 0 allows any time.
 * @param maxSessions Sessions of clients at a time; one more is refused.
 * @param maxSessionsPerPeer Sessions of clients of one host.
 * @param maxPendingHandshakes Connections of clients that have not finished their handshake.
 * @param maxBytesPerPeer Memory that may be lent to clients of one host.
 * @param tokenLifetime Time that a session which has ended is remembered, so that its opening repeated makes no other.
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
        @Valid @DefaultValue Shutdown shutdown) {

    static final int DEFAULT_PORT = 7471;

    /**
     * Settings of stopping a server.
     *
     * @param gracePeriod Time that calls in flight may take; 0 gives them none, a negative time waits for ever.
     */
    public record Shutdown(@DefaultValue("30s") Duration gracePeriod) {}
}
