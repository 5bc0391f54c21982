package io.rdmarpc.rpc.config;

import java.time.Duration;

/**
 * Heartbeats of the control connection, which detect dead peers. Immutable; start from {@link #DEFAULTS}.
 *
 * @param interval time between heartbeats
 * @param timeout time without a message from the peer after which it counts as dead; longer than the interval
 */
public record HeartbeatConfig(Duration interval, Duration timeout) {

    /** Default of {@link #interval()}, in milliseconds. */
    public static final int DEFAULT_INTERVAL_MILLIS = 500;

    /** Default of {@link #timeout()}, in seconds. */
    public static final int DEFAULT_TIMEOUT_SECONDS = 3;

    /** Every 500 ms; a peer counts as dead after 3 s. */
    public static final HeartbeatConfig DEFAULTS = new HeartbeatConfig(
            Duration.ofMillis(DEFAULT_INTERVAL_MILLIS), Duration.ofSeconds(DEFAULT_TIMEOUT_SECONDS));

    /**
     * Validates the values.
     *
     * @param interval time between heartbeats
     * @param timeout time without a message from the peer after which it counts as dead
     */
    public HeartbeatConfig {
        SettingChecks.positive(interval, "heartbeat.interval");
        SettingChecks.require(
                timeout.compareTo(interval) > 0,
                "heartbeat.timeout",
                timeout,
                "longer than heartbeat.interval " + interval);
    }
}
