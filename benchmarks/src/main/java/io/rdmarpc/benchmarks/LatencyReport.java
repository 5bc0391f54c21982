package io.rdmarpc.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * The columns of {@code ib_send_lat}. The time from one post to the next is a round trip, and half of it is the
 * latency. The typical latency is the median.
 */
public final class LatencyReport {

    /** The names of the columns. */
    public static final String HEADER =
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
                    + "    99% percentile[usec]   99.9% percentile[usec]";

    private final double[] halfRoundTripMicros;

    /**
     * Computes and sorts the round trips.
     *
     * @param postedNanos times of all posts in order, in nanoseconds
     * @param warmUp number of leading round trips that do not count
     */
    public LatencyReport(long[] postedNanos, int warmUp) {
        int count = Math.max(0, postedNanos.length - warmUp - 1);
        halfRoundTripMicros = new double[count];
        for (int i = 0; i < count; i++) {
            halfRoundTripMicros[i] = (postedNanos[warmUp + i + 1] - postedNanos[warmUp + i]) / 2e3;
        }
        Arrays.sort(halfRoundTripMicros);
    }

    double percentile(double percent) {
        int count = halfRoundTripMicros.length;
        int rank = (int) Math.ceil(count * percent / 100);
        return halfRoundTripMicros[Math.clamp(rank, 1, count) - 1];
    }

    double typical() {
        int count = halfRoundTripMicros.length;
        return (halfRoundTripMicros[(count - 1) / 2] + halfRoundTripMicros[count / 2]) / 2;
    }

    /**
     * Formats the numbers as one line.
     *
     * @param size bytes per message
     * @return a line for below {@link #HEADER}
     */
    public String line(int size) {
        return String.format(
                Locale.ROOT,
                " %-7d %-10d %14.2f %14.2f %16.2f %14.2f %23.2f %24.2f",
                size,
                halfRoundTripMicros.length + 1,
                halfRoundTripMicros[0],
                halfRoundTripMicros[halfRoundTripMicros.length - 1],
                typical(),
                Arrays.stream(halfRoundTripMicros).average().orElseThrow(),
                percentile(99),
                percentile(99.9));
    }
}
