package io.rdmarpc.demo.live.load;

import org.jspecify.annotations.Nullable;

/**
 * The results of one transport as the page shows them.
 *
 * @param name name of the transport
 * @param calls number of calls that succeeded since the settings last changed
 * @param failures number of failed calls since the settings last changed
 * @param lastFailure message of the last failure in this interval, null if there was none
 * @param perSecond calls per second of the transport's own time in the last intervals
 * @param nowPerSecond calls per second of the transport's own time in this interval
 * @param now latencies of this interval
 * @param recent latencies of the last intervals
 * @param buckets counts of the recent latencies in the buckets of {@link LatencyScale}
 * @param cpuMicrosPerCall CPU time of both processes per call of the last intervals in microseconds, null without calls or if several
 *     transports worked together
 * @param cpus number of processors that both processes kept busy in this interval, null if several transports worked together or
 *     this one did not work
 * @param bytesPerCall bytes that the client sent and received per call of the last intervals, null without calls
 */
@SuppressWarnings("ArrayRecordComponent")
public record LaneView(
        String name,
        long calls,
        long failures,
        @Nullable String lastFailure,
        double perSecond,
        double nowPerSecond,
        Percentiles now,
        Percentiles recent,
        long[] buckets,
        @Nullable Double cpuMicrosPerCall,
        @Nullable Double cpus,
        @Nullable Double bytesPerCall) {}
