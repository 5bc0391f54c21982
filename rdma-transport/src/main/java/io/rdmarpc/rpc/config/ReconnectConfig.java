package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * How a channel comes back after its session ended. Pauses between attempts double from the first to the longest one and
 * vary by half, so that many clients do not come back in one moment. Immutable; start from {@link #DEFAULTS}.
 *
 * @param enabled whether a lost session is replaced before the next call asks for one
 * @param initialInterval pause after the first attempt that failed
 * @param maxInterval the longest pause
 * @param maxElapsedTime how long it is tried without a call that asks; the next call tries again
 * @param shuffle whether the addresses of a target are tried in random order, so that clients spread over them; else in
 *     the order given, so that the first one is preferred
 */
public record ReconnectConfig(
        boolean enabled, Duration initialInterval, Duration maxInterval, Duration maxElapsedTime, boolean shuffle) {

    /** Default: pause after the first attempt that failed, in milliseconds. */
    public static final int DEFAULT_INITIAL_INTERVAL_MILLIS = 20;

    /** Default: longest pause, in milliseconds. */
    public static final int DEFAULT_MAX_INTERVAL_MILLIS = 500;

    /** Default: time for attempts without a call, in seconds. */
    public static final int DEFAULT_MAX_ELAPSED_SECONDS = 30;

    /** At once, with pauses from 20 to 500 ms, for 30 s, in the order given. */
    public static final ReconnectConfig DEFAULTS = new ReconnectConfig(
            true,
            Duration.ofMillis(DEFAULT_INITIAL_INTERVAL_MILLIS),
            Duration.ofMillis(DEFAULT_MAX_INTERVAL_MILLIS),
            Duration.ofSeconds(DEFAULT_MAX_ELAPSED_SECONDS),
            false);

    /**
     * Checks the numbers.
     *
     * @param enabled whether a lost session is replaced at once
     * @param initialInterval pause after the first attempt that failed
     * @param maxInterval the longest pause
     * @param maxElapsedTime how long it is tried without a call that asks
     * @param shuffle whether addresses are tried in random order
     */
    public ReconnectConfig {
        require(
                initialInterval.compareTo(Duration.ofMillis(1)) >= 0,
                "initial-interval",
                initialInterval,
                "1 ms or more");
        require(
                maxInterval.compareTo(initialInterval) >= 0,
                "max-interval",
                maxInterval,
                "at least reconnect.initial-interval, " + initialInterval);
        require(!maxElapsedTime.isNegative(), "max-elapsed-time", maxElapsedTime, "0 or more");
    }

    private static void require(boolean ok, String setting, Object value, String allowed) {
        if (!ok) {
            throw new RdmaConfigurationException(
                    "client.reconnect." + setting,
                    value,
                    "it must be " + allowed,
                    "Change it, or leave it out for the default");
        }
    }
}
