package io.rdmarpc.demo.live.load;

import org.HdrHistogram.Histogram;

/**
 * The x axis of the distribution: buckets that grow by the same factor, from 1 us to more than 4 s. The page knows the same
 * numbers.
 */
final class LatencyScale {

    static final int PER_OCTAVE = 8;
    static final int BUCKETS = 22 * PER_OCTAVE;

    private static final double FIRST_NANOS = 1_000;

    private LatencyScale() {}

    /** Calls in each bucket; what is shorter or longer is in the first or the last. */
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
