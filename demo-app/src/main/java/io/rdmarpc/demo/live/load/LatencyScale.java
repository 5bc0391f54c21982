package io.rdmarpc.demo.live.load;

import org.HdrHistogram.Histogram;

/**
 * The x axis of the latency distribution: buckets whose limits grow by a constant factor, from 1 µs to more than 4 s.
 * The page's JavaScript uses the same limits.
 */
final class LatencyScale {

    static final int PER_OCTAVE = 8;
    static final int BUCKETS = 22 * PER_OCTAVE;

    private static final double FIRST_NANOS = 1_000;

    private LatencyScale() {}

    /**
     * Returns the number of calls in each bucket. The first and the last bucket also count latencies beyond the scale.
     */
    static long[] counts(Histogram nanos) {
        long[] counts = new long[BUCKETS];
        nanos.recordedValues()
                .forEach(value ->
                        counts[bucketOf(value.getValueIteratedTo())] += value.getCountAddedInThisIterationStep());
        return counts;
    }

    static int bucketOf(long nanos) {
        double octaves = Math.log(Math.max(1, nanos) / FIRST_NANOS) / Math.log(2);
        return Math.clamp((long) Math.floor(octaves * PER_OCTAVE), 0, BUCKETS - 1);
    }
}
