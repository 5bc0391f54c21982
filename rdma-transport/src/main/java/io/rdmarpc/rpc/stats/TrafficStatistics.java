package io.rdmarpc.rpc.stats;

/**
 * How busy an engine is and what holds it up. The numbers are read while the engine runs, each one right by itself.
 *
 * @param messagesSent messages in datagrams sent, repeated ones included
 * @param messagesBatched those of them that shared a datagram
 * @param windowStalls calls that waited because all slots of their session were taken
 * @param creditStalls calls that waited for a receive at either end
 * @param pacingStalls calls that waited because congestion control slowed their session down
 * @param backlog calls waiting now
 * @param creditsLent entries of the receive ring that busy sessions have borrowed now
 * @param readsWaiting large messages, or parts of them, that wait for the READ budget, for memory, for room to run or for a send queue now
 * @param readsInFlight RDMA READs, or parts of long ones, at the NIC now
 * @param readsStalled sessions that ended because their RDMA READs made no progress
 * @param timersArmed sessions that wait for a time now
 * @param datagramFailures times the datagram queue pair failed and was brought back
 * @param busyNanos time of turns of the polling loop that had something to do
 * @param turnNanos time of all turns: the share of the busy ones is the loop's utilisation
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
        long turnNanos) {

    /**
     * Returns how much of its time the loop had something to do.
     *
     * @return from 0 to 1
     */
    public double utilisation() {
        return turnNanos == 0 ? 0 : (double) busyNanos / turnNanos;
    }

    /**
     * Adds the numbers of another engine.
     *
     * @param other the other engine's
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
                turnNanos + other.turnNanos);
    }
}
