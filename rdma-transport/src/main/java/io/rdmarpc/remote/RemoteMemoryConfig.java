package io.rdmarpc.remote;

import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.Map;

/**
 * Settings of remote memory, for its use and for lending it. Start from {@link #DEFAULTS}. Immutable.
 *
 * @param device the device and its queues; it is separate from the RPC engine's device, so that long transfers do not
 *     delay calls
 * @param limits limits of peers
 * @param responseTimeout how long a peer may take to respond to a request, including connecting
 */
public record RemoteMemoryConfig(RdmaNodeConfig device, LendingLimits limits, Duration responseTimeout) {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofDays(3650);

    /** Default: how long a peer may take to respond, in seconds. */
    public static final int DEFAULT_RESPONSE_SECONDS = 10;

    /** The default device, {@link LendingLimits#DEFAULTS}, and 10 s for responses. */
    public static final RemoteMemoryConfig DEFAULTS = new RemoteMemoryConfig(
            RdmaNodeConfig.DEFAULTS, LendingLimits.DEFAULTS, Duration.ofSeconds(DEFAULT_RESPONSE_SECONDS));

    /**
     * Checks the response timeout.
     *
     * @param device the device
     * @param limits limits of peers
     * @param responseTimeout how long a peer may take to respond
     */
    public RemoteMemoryConfig {
        if (responseTimeout.compareTo(MIN_TIMEOUT) < 0 || responseTimeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new RdmaConfigurationException(
                    "remote-memory.response-timeout",
                    responseTimeout,
                    "it must be 1 ms to 10 years",
                    "Use a duration in that range");
        }
    }

    /**
     * Changes the provider and its options.
     *
     * @param provider the provider
     * @param options its options
     * @return the changed copy
     */
    public RemoteMemoryConfig withProvider(String provider, Map<String, String> options) {
        return withDevice(device.withProvider(provider, options));
    }

    /**
     * Changes the device.
     *
     * @param changed the device and its queues
     * @return the changed copy
     */
    public RemoteMemoryConfig withDevice(RdmaNodeConfig changed) {
        return new RemoteMemoryConfig(changed, limits, responseTimeout);
    }

    /**
     * Changes the limits of peers.
     *
     * @param changed the limits
     * @return the changed copy
     */
    public RemoteMemoryConfig withLimits(LendingLimits changed) {
        return new RemoteMemoryConfig(device, changed, responseTimeout);
    }

    /**
     * Changes how long a peer may take to respond.
     *
     * @param changed the response timeout
     * @return the changed copy
     */
    public RemoteMemoryConfig withResponseTimeout(Duration changed) {
        return new RemoteMemoryConfig(device, limits, changed);
    }
}
