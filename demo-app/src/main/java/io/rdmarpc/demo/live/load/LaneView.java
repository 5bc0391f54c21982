package io.rdmarpc.demo.live.load;

import org.jspecify.annotations.Nullable;

/**
 * One transport as the page shows it.
 *
 * @param name which
 * @param calls answered since the last change
 * @param failures since the last change
 * @param lastFailure of this turn
 * @param perSecond calls in a second of its own time
 * @param now how long calls of this turn took
 * @param recent how long calls of the last turns took
 * @param buckets those, by {@link LatencyScale}
 * @param cpuMicrosPerCall CPU time of both processes; null when it cannot be told apart
 * @param cpus processors that both processes kept busy; null likewise
 * @param bytesPerCall sent and received by the client
 */
@SuppressWarnings("ArrayRecordComponent")
public record LaneView(
        String name,
        long calls,
        long failures,
        @Nullable String lastFailure,
        double perSecond,
        Percentiles now,
        Percentiles recent,
        long[] buckets,
        @Nullable Double cpuMicrosPerCall,
        @Nullable Double cpus,
        @Nullable Double bytesPerCall) {}
