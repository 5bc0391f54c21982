package io.rdmarpc.rpc.config;

/**
 * Settings by which the engine paces and batches its packets. Immutable; start from {@link #DEFAULTS}.
 *
 * @param batching whether small messages to one peer that are sent at the same time share a packet
 * @param congestionControl whether sessions reduce their rate if their round trips grow, for networks with incast. Set
 *     it at both ends: a server then reports how long its methods took. Otherwise that time counts as the network's,
 *     and methods that take more than half a millisecond reduce the rate of their callers. Streams keep their rate
 */
public record TrafficConfig(boolean batching, boolean congestionControl) {

    /** Small messages share packets; no congestion control. */
    public static final TrafficConfig DEFAULTS = new TrafficConfig(true, false);

    /**
     * Returns a copy with batching switched on or off. The setting does not affect batching by peers.
     *
     * @param batch whether small messages that are sent at the same time share a packet
     * @return the copy
     */
    public TrafficConfig withBatching(boolean batch) {
        return new TrafficConfig(batch, congestionControl);
    }

    /**
     * Returns a copy with congestion control switched on or off.
     *
     * @param control whether sessions reduce their rate if their round trips grow
     * @return the copy
     */
    public TrafficConfig withCongestionControl(boolean control) {
        return new TrafficConfig(batching, control);
    }
}
