package io.rdmarpc.service.client.routing;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * How calls are distributed over the instances of a target. Immutable. Derive a configuration from {@link #DEFAULTS}.
 *
 * @param policy how an instance is selected for a call
 * @param attempt how long one attempt to connect to an instance may take
 * @param probation how long an instance that fails calls is excluded at first; the time doubles up to 32 times its
 *     value
 * @param timeouts consecutive calls without a response after which an instance is excluded
 * @param drain how long calls in flight may take after their instance was removed
 */
public record BalancingConfig(
        BalancingPolicy policy, Duration attempt, Duration probation, int timeouts, Duration drain) {

    /** Default time that an instance is excluded at first, in seconds. */
    public static final int DEFAULT_PROBATION_SECONDS = 1;

    /** Default number of consecutive calls without a response. */
    public static final int DEFAULT_TIMEOUTS = 5;

    /** Default time for calls in flight of a removed instance, in seconds. */
    public static final int DEFAULT_DRAIN_SECONDS = 30;

    /** Round-robin, 2 s to connect, 1 s of probation, 5 calls without a response, 30 s to drain. */
    public static final BalancingConfig DEFAULTS = new BalancingConfig(
            BalancingPolicy.ROUND_ROBIN,
            Duration.ofSeconds(2),
            Duration.ofSeconds(DEFAULT_PROBATION_SECONDS),
            DEFAULT_TIMEOUTS,
            Duration.ofSeconds(DEFAULT_DRAIN_SECONDS));

    /**
     * Validates the values.
     *
     * @param policy how an instance is selected for a call
     * @param attempt how long one attempt to connect may take
     * @param probation how long a failing instance is excluded at first
     * @param timeouts consecutive calls without a response
     * @param drain how long calls may take after their instance was removed
     */
    public BalancingConfig {
        require(attempt.isPositive(), "connect-timeout", attempt, "longer than 0");
        require(probation.isPositive(), "client.balancing.probation", probation, "longer than 0");
        require(timeouts >= 1, "client.balancing.max-consecutive-timeouts", timeouts, "1 or more");
        require(!drain.isNegative(), "client.balancing.drain-timeout", drain, "0 or more");
    }

    private static void require(boolean ok, String setting, Object value, String allowed) {
        if (!ok) {
            throw new RdmaConfigurationException(
                    setting,
                    value,
                    "it must be " + allowed,
                    "Change the value, or remove the setting to use the default");
        }
    }
}
