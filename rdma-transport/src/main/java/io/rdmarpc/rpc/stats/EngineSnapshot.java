package io.rdmarpc.rpc.stats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One engine of a runtime as it is at the moment.
 *
 * @param thread name of the thread that turns it, empty when its user does
 * @param threadAlive whether that thread lives; true when there is none
 * @param problem why it does not work, for people; null while it works
 * @param restarts how often it was started anew after a failure
 * @param sinceLastCycle time since the loop began its last turn; while it has nothing to do it turns some four times a second
 * @param udQueuePair number of its datagram queue pair
 * @param engine what it has counted
 * @param traffic how busy it is
 * @param activity its streams and calls given up
 */
public record EngineSnapshot(
        String thread,
        boolean threadAlive,
        @Nullable String problem,
        int restarts,
        Duration sinceLastCycle,
        int udQueuePair,
        EngineStatistics engine,
        TrafficStatistics traffic,
        ActivityStatistics activity) {}
