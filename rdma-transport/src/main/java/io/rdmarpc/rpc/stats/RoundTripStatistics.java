package io.rdmarpc.rpc.stats;

import java.util.List;

/**
 * Durations of a session's calls from the first send to the response, including the server's method. Calls that were
 * retransmitted are not measured, because a response does not show which send it belongs to (Karn's algorithm, RFC
 * 6298).
 *
 * @param samples number of measured calls
 * @param smoothedNanos moving average in nanoseconds
 * @param variationNanos moving average of the deviation from it, in nanoseconds
 * @param timeoutNanos current retransmission timeout in nanoseconds
 * @param histogram number of calls by duration. Entry 0 counts durations below 256 ns, and entry i those from 2^(i+7)
 *     to below 2^(i+8) ns. The last entry also counts all longer ones
 */
public record RoundTripStatistics(
        long samples, long smoothedNanos, long variationNanos, long timeoutNanos, List<Long> histogram) {

    /**
     * Copies the histogram.
     *
     * @param samples number of measured calls
     * @param smoothedNanos moving average in nanoseconds
     * @param variationNanos moving average of the deviation from it, in nanoseconds
     * @param timeoutNanos current retransmission timeout in nanoseconds
     * @param histogram number of calls by duration
     */
    public RoundTripStatistics {
        histogram = List.copyOf(histogram);
    }

    /**
     * Returns an upper bound of a quantile of the durations, accurate to a factor of two.
     *
     * @param share the quantile, from 0 to 1, such as 0.99
     * @return nanoseconds; 0 if no call was measured
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
