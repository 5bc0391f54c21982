package io.rdmarpc.rpc.stats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one engine of a runtime.
 *
 * @param thread name of the polling thread, empty if the application runs the event loop
 * @param threadAlive whether that thread is alive; true without one
 * @param problem a description of why the engine does not work; null while it works
 * @param restarts how often the engine was restarted after a failure
 * @param sinceLastCycle time since the event loop began its last duty cycle; an idle loop runs about four duty cycles a
 *     second
 * @param udQueuePair number of its datagram queue pair
 * @param engine its counters
 * @param traffic its load
 * @param activity its streams and cancelled calls
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
