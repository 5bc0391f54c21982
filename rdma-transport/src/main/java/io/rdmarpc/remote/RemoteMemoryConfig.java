package io.rdmarpc.remote;

import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.Map;

/**
 * How remote memory is used and lent. Start from {@link #DEFAULTS}. Immutable.
 *
 * @param device which device, and how deep its queues are; it is opened beside the one of the RPC engine, so that long
 *     transfers do not hold up calls
 * @param limits what peers may have of this process
 * @param answerTimeout how long a peer may take to answer a request, connecting included
 */
public record RemoteMemoryConfig(RdmaNodeConfig device, LendingLimits limits, Duration answerTimeout) {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofDays(3650);

    /** Default: time that a peer may take to respond, in seconds. */
    public static final int DEFAULT_RESPONSE_SECONDS = 10;

    /** The best device there is, {@link LendingLimits#DEFAULTS}, 10 s for answers. */
    public static final RemoteMemoryConfig DEFAULTS = new RemoteMemoryConfig(
            RdmaNodeConfig.DEFAULTS, LendingLimits.DEFAULTS, Duration.ofSeconds(DEFAULT_RESPONSE_SECONDS));

    /**
     * Checks the time-out.
     *
     * @param device which device
     * @param limits what peers may have
     * @param answerTimeout how long a peer may take
     */
    public RemoteMemoryConfig {
        if (answerTimeout.compareTo(MIN_TIMEOUT) < 0 || answerTimeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new RdmaConfigurationException(
                    "remote-memory.response-timeout",
                    answerTimeout,
                    "it is 1 ms to 10 years",
                    "Use a duration in that range");
        }
    }

    /**
     * Changes the provider and its options.
     *
     * @param provider which provider
     * @param options its options
     * @return the changed copy
     */
    public RemoteMemoryConfig withProvider(String provider, Map<String, String> options) {
        return withDevice(device.withProvider(provider, options));
    }

    /**
     * Changes the device.
     *
     * @param changed which, and how deep its queues are
     * @return the changed copy
     */
    public RemoteMemoryConfig withDevice(RdmaNodeConfig changed) {
        return new RemoteMemoryConfig(changed, limits, answerTimeout);
    }

    /**
     * Changes what peers may have.
     *
     * @param changed the limits
     * @return the changed copy
     */
    public RemoteMemoryConfig withLimits(LendingLimits changed) {
        return new RemoteMemoryConfig(device, changed, answerTimeout);
    }

    /**
     * Changes how long a peer may take to answer.
     *
     * @param changed the time
     * @return the changed copy
     */
    public RemoteMemoryConfig withAnswerTimeout(Duration changed) {
        return new RemoteMemoryConfig(device, limits, changed);
    }
}
