package io.rdmarpc.service.client.routing;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * How a target with several instances is called. Immutable; start from {@link #DEFAULTS}.
 *
 * @param policy how calls are spread
 * @param attempt how long one attempt to connect to an instance may take
 * @param probation how long an instance that fails calls is left out at first; doubles up to 32 times of it
 * @param timeouts calls in a row that an instance may leave unanswered before it is left out
 * @param drain how long calls in flight may take after their instance was removed
 */
public record BalancingConfig(
        BalancingPolicy policy, Duration attempt, Duration probation, int timeouts, Duration drain) {

    /** Default: time that an instance is left out at first, in seconds. */
    public static final int DEFAULT_PROBATION_SECONDS = 1;

    /** Default: calls in a row without a response. */
    public static final int DEFAULT_TIMEOUTS = 5;

    /** Default: time for calls in flight of a removed instance, in seconds. */
    public static final int DEFAULT_DRAIN_SECONDS = 30;

    /** Round-robin; attempts of 2 s, 1 s of probation, 5 calls without an answer, 30 s to drain. */
    public static final BalancingConfig DEFAULTS = new BalancingConfig(
            BalancingPolicy.ROUND_ROBIN,
            Duration.ofSeconds(2),
            Duration.ofSeconds(DEFAULT_PROBATION_SECONDS),
            DEFAULT_TIMEOUTS,
            Duration.ofSeconds(DEFAULT_DRAIN_SECONDS));

    /**
     * Checks the numbers.
     *
     * @param policy how calls are spread
     * @param attempt how long one attempt to connect may take
     * @param probation how long a failing instance is left out at first
     * @param timeouts calls in a row without an answer
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
                    setting, value, "it must be " + allowed, "Change it, or leave it out for the default");
        }
    }
}
