package io.rdmarpc.rpc.stats;

/**
 * Load of an engine, and the causes of delays. The values are read while the engine runs. Each value is exact, but the
 * values may be from different moments.
 *
 * @param messagesSent messages in sent datagrams, including retransmitted ones
 * @param messagesBatched those messages that shared a datagram
 * @param windowStalls calls that waited because all slots of their session were in use
 * @param creditStalls calls that waited for a receive at either end
 * @param pacingStalls calls that waited because congestion control slowed their session down
 * @param backlog calls waiting now
 * @param creditsLent entries of the receive ring that busy sessions have borrowed now
 * @param readsWaiting large messages, or parts of them, that now wait for the READ budget, for memory, for the server's
 *     load limit or for a send queue
 * @param readsInFlight RDMA READs, or parts of long ones, in flight at the NIC now
 * @param readsStalled sessions that ended because their RDMA READs made no progress
 * @param timersArmed sessions with an armed timer now
 * @param datagramFailures failures and recoveries of the datagram queue pair
 * @param busyNanos time of the duty cycles that had work, in nanoseconds
 * @param cycleNanos time of all duty cycles, in nanoseconds; the loop's utilization is {@code busyNanos} divided by
 *     this
 */
public record TrafficStatistics(
        long messagesSent,
        long messagesBatched,
        long windowStalls,
        long creditStalls,
        long pacingStalls,
        long backlog,
        long creditsLent,
        long readsWaiting,
        long readsInFlight,
        long readsStalled,
        long timersArmed,
        long datagramFailures,
        long busyNanos,
        long cycleNanos) {

    /**
     * Returns the share of time in which the event loop had work.
     *
     * @return from 0 to 1
     */
    public double utilization() {
        return cycleNanos == 0 ? 0 : (double) busyNanos / cycleNanos;
    }

    /**
     * Adds the values of another engine.
     *
     * @param other the other engine's values
     * @return the sums
     */
    public TrafficStatistics plus(TrafficStatistics other) {
        return new TrafficStatistics(
                messagesSent + other.messagesSent,
                messagesBatched + other.messagesBatched,
                windowStalls + other.windowStalls,
                creditStalls + other.creditStalls,
                pacingStalls + other.pacingStalls,
                backlog + other.backlog,
                creditsLent + other.creditsLent,
                readsWaiting + other.readsWaiting,
                readsInFlight + other.readsInFlight,
                readsStalled + other.readsStalled,
                timersArmed + other.timersArmed,
                datagramFailures + other.datagramFailures,
                busyNanos + other.busyNanos,
                cycleNanos + other.cycleNanos);
    }
}
