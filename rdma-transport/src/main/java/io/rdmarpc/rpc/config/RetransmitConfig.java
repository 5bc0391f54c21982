package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * Settings of the retransmission of requests that have no response. Immutable; start from {@link #DEFAULTS}.
 *
 * @param initialTimeout how long a request waits for a response before its first retransmission, until round trips have
 *     been measured
 * @param minTimeout minimum of that time once round trips have been measured
 * @param maxTimeout maximum of that time, which doubles with each retransmission
 * @param maxAttempts transmissions of one request without any packet from the peer after which its session fails
 */
public record RetransmitConfig(Duration initialTimeout, Duration minTimeout, Duration maxTimeout, int maxAttempts) {

    /** Default of {@link #initialTimeout()}, in milliseconds. */
    public static final int DEFAULT_INITIAL_MILLIS = 20;

    /** Default of {@link #minTimeout()}, in milliseconds. */
    public static final int DEFAULT_MIN_MILLIS = 5;

    /** Default of {@link #maxTimeout()}, in milliseconds. */
    public static final int DEFAULT_MAX_MILLIS = 200;

    /** Default of {@link #maxAttempts()}. */
    public static final int DEFAULT_MAX_ATTEMPTS = 30;

    /** First after 20 ms, later after 5 to 200 ms, at most 30 transmissions. */
    public static final RetransmitConfig DEFAULTS = new RetransmitConfig(
            Duration.ofMillis(DEFAULT_INITIAL_MILLIS),
            Duration.ofMillis(DEFAULT_MIN_MILLIS),
            Duration.ofMillis(DEFAULT_MAX_MILLIS),
            DEFAULT_MAX_ATTEMPTS);

    /**
     * Validates the values.
     *
     * @param initialTimeout how long a request waits before its first retransmission
     * @param minTimeout minimum of that time
     * @param maxTimeout maximum of that time
     * @param maxAttempts transmissions of one request without any packet from the peer
     */
    public RetransmitConfig {
        SettingChecks.positive(initialTimeout, "retransmit.initial-timeout");
        SettingChecks.positive(minTimeout, "retransmit.min-timeout");
        SettingChecks.require(
                maxTimeout.compareTo(minTimeout) >= 0,
                "retransmit.max-timeout",
                maxTimeout,
                "at least retransmit.min-timeout, " + minTimeout);
        SettingChecks.require(maxAttempts >= 1, "retransmit.max-attempts", maxAttempts, "1 or more");
    }

    /**
     * Returns a copy with other limits of the time before a retransmission.
     *
     * @param min minimum
     * @param max maximum
     * @return the copy
     * @throws RdmaConfigurationException if the minimum is not positive, or the maximum is less than the minimum
     */
    public RetransmitConfig withTimeouts(Duration min, Duration max) {
        return new RetransmitConfig(initialTimeout, min, max, maxAttempts);
    }

    /**
     * Returns a copy with another maximum of transmissions.
     *
     * @param attempts transmissions of one request without any packet from the peer, 1 or more
     * @return the copy
     * @throws RdmaConfigurationException if the number is less than 1
     */
    public RetransmitConfig withMaxAttempts(int attempts) {
        return new RetransmitConfig(initialTimeout, minTimeout, maxTimeout, attempts);
    }
}
