package io.rdmarpc.rpc.config;

import java.time.Duration;

/**
 * Settings by which a channel reconnects after its session has ended. Pauses between attempts double from the first to
 * the longest one. Random jitter of half a pause spreads the attempts of many clients. Immutable; start from {@link
 * #DEFAULTS}.
 *
 * @param enabled whether the channel replaces a lost session before the next call needs one
 * @param initialInterval pause after the first failed attempt
 * @param maxInterval maximum pause, before jitter of up to half of it
 * @param maxElapsedTime how long the channel retries without a call that needs a session; the next call starts new
 *     attempts
 * @param shuffle whether the addresses of a target are tried in random order, which spreads clients over them.
 *     Otherwise they are tried in the given order, which prefers the first one
 */
public record ReconnectConfig(
        boolean enabled, Duration initialInterval, Duration maxInterval, Duration maxElapsedTime, boolean shuffle) {

    /** Default: pause after the first failed attempt, in milliseconds. */
    public static final int DEFAULT_INITIAL_INTERVAL_MILLIS = 20;

    /** Default: maximum pause, in milliseconds. */
    public static final int DEFAULT_MAX_INTERVAL_MILLIS = 500;

    /** Default: how long a channel retries without a call, in seconds. */
    public static final int DEFAULT_MAX_ELAPSED_SECONDS = 30;

    /** Reconnects at once, with pauses of 20 to 500 ms, for 30 s, addresses in the given order. */
    public static final ReconnectConfig DEFAULTS = new ReconnectConfig(
            true,
            Duration.ofMillis(DEFAULT_INITIAL_INTERVAL_MILLIS),
            Duration.ofMillis(DEFAULT_MAX_INTERVAL_MILLIS),
            Duration.ofSeconds(DEFAULT_MAX_ELAPSED_SECONDS),
            false);

    /**
     * Validates the values.
     *
     * @param enabled whether the channel replaces a lost session at once
     * @param initialInterval pause after the first failed attempt
     * @param maxInterval maximum pause, before jitter of up to half of it
     * @param maxElapsedTime how long the channel retries without a call that needs a session
     * @param shuffle whether addresses are tried in random order
     */
    public ReconnectConfig {
        SettingChecks.require(
                initialInterval.compareTo(Duration.ofMillis(1)) >= 0,
                "client.reconnect.initial-interval",
                initialInterval,
                "1 ms or more");
        SettingChecks.require(
                maxInterval.compareTo(initialInterval) >= 0,
                "client.reconnect.max-interval",
                maxInterval,
                "at least client.reconnect.initial-interval, " + initialInterval);
        SettingChecks.require(
                !maxElapsedTime.isNegative(), "client.reconnect.max-elapsed-time", maxElapsedTime, "0 or more");
    }
}
