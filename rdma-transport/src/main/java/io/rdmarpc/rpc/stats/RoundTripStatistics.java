package io.rdmarpc.rpc.stats;

import java.util.List;

/**
 * How long calls of a session take from the first send to the answer, the server's method included. Calls that were sent
 * more than once are not counted: nobody knows which send was answered.
 *
 * @param samples calls measured
 * @param smoothedNanos moving average
 * @param variationNanos moving average of the distance from it
 * @param timeoutNanos time after which a request is sent again now
 * @param histogram calls by time: entry 0 those below 256 ns, entry i those from 2^(i+7) ns to below 2^(i+8), the last
 *     one all longer ones
 */
public record RoundTripStatistics(
        long samples, long smoothedNanos, long variationNanos, long timeoutNanos, List<Long> histogram) {

    /**
     * Copies the histogram.
     *
     * @param samples calls measured
     * @param smoothedNanos moving average
     * @param variationNanos moving average of the distance from it
     * @param timeoutNanos time after which a request is sent again now
     * @param histogram calls by time
     */
    public RoundTripStatistics {
        histogram = List.copyOf(histogram);
    }

    /**
     * Returns a bound that a share of the calls stayed below, to a factor of two.
     *
     * @param share from 0 to 1, such as 0.99
     * @return nanoseconds; 0 when nothing was measured
     */
    public long quantileNanos(double share) {
        long wanted = (long) Math.ceil(samples * share);
        long seen = 0;
        for (int i = 0; i < histogram.size() && samples > 0; i++) {
            seen += histogram.get(i);
            if (seen >= wanted) {
                return 256L << i;
            }
        }
        return 0;
    }
}
