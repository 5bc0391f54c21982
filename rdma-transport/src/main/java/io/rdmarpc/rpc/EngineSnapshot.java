package io.rdmarpc.rpc;

import java.time.Duration;

/**
 * One engine of a runtime as it is at the moment.
 *
 * @param thread name of the thread that turns it, empty when its user does
 * @param threadAlive whether that thread lives; true when there is none
 * @param sinceLastTurn time since the loop began its last turn; while it has nothing to do it turns some four times a second
 * @param udQueuePair number of its datagram queue pair
 * @param engine what it has counted
 * @param traffic how busy it is
 * @param activity its streams and calls given up
 */
public record EngineSnapshot(
        String thread,
        boolean threadAlive,
        Duration sinceLastTurn,
        int udQueuePair,
        EngineStatistics engine,
        TrafficStatistics traffic,
        ActivityStatistics activity) {}
