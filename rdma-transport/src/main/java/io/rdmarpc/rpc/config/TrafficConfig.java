package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * How the engine paces and repeats what it sends. Immutable; start from {@link #DEFAULTS}.
 *
 * @param shortestTimeout floor of the time after which a request is sent again, however fast answers have been
 * @param longestTimeout ceiling of that time, however often the request was sent
 * @param batching whether small messages to one peer that leave at the same time share a packet
 * @param congestionControl whether sessions slow down when their round trips grow, for networks where many send to one. To be
 *     set at both ends: a server then says how long its methods took; else that counts as the network's time, and methods of
 *     more than half a millisecond slow their callers down. Streams are not slowed down
 */
public record TrafficConfig(
        Duration shortestTimeout, Duration longestTimeout, boolean batching, boolean congestionControl) {

    /** Default: floor of the time after which a request is sent again, in milliseconds. */
    public static final int DEFAULT_SHORTEST_MILLIS = 5;

    /** Default: ceiling of that time, in milliseconds. */
    public static final int DEFAULT_LONGEST_MILLIS = 200;

    /** A request is sent again after 5 to 200 ms, small messages share packets. */
    public static final TrafficConfig DEFAULTS = new TrafficConfig(
            Duration.ofMillis(DEFAULT_SHORTEST_MILLIS), Duration.ofMillis(DEFAULT_LONGEST_MILLIS), true, false);

    /**
     * Checks the numbers.
     *
     * @param shortestTimeout floor of the time after which a request is sent again
     * @param longestTimeout ceiling of that time
     * @param batching whether small messages share a packet
     * @param congestionControl whether sessions slow down when their round trips grow
     */
    public TrafficConfig {
        if (shortestTimeout.isNegative() || shortestTimeout.isZero()) {
            throw new RdmaConfigurationException(
                    "retransmit.min-timeout", shortestTimeout, "it must be longer than 0", "Leave it out for 5 ms");
        }
        if (longestTimeout.compareTo(shortestTimeout) < 0) {
            throw new RdmaConfigurationException(
                    "retransmit.max-timeout",
                    longestTimeout,
                    "it must be at least retransmit.min-timeout, " + shortestTimeout,
                    "Leave it out for 200 ms");
        }
    }

    /**
     * Changes the limits of the time after which a request is sent again.
     *
     * @param shortest floor
     * @param longest ceiling
     * @return the changed copy
     */
    public TrafficConfig withTimeouts(Duration shortest, Duration longest) {
        return new TrafficConfig(shortest, longest, batching, congestionControl);
    }

    /**
     * Switches batching. A peer may batch all the same.
     *
     * @param batch whether small messages that leave at the same time share a packet
     * @return the changed copy
     */
    public TrafficConfig withBatching(boolean batch) {
        return new TrafficConfig(shortestTimeout, longestTimeout, batch, congestionControl);
    }

    /**
     * Switches congestion control.
     *
     * @param control whether sessions slow down when their round trips grow
     * @return the changed copy
     */
    public TrafficConfig withCongestionControl(boolean control) {
        return new TrafficConfig(shortestTimeout, longestTimeout, batching, control);
    }
}
