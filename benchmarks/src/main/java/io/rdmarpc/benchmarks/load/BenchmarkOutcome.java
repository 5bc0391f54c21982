package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.Median;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Calls that a client has made.
 *
 * @param calls number of completed calls
 * @param seconds duration of the run in seconds
 * @param nanos latency in nanoseconds at each of {@link #PERCENTILES}
 */
public record BenchmarkOutcome(long calls, double seconds, List<Long> nanos) {

    /** The percentiles that are recorded. */
    public static final List<Double> PERCENTILES =
            List.of(0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 100.0);

    static final long MOST_NANOS = 60_000_000_000L;
    static final int DIGITS = 3;

    static BenchmarkOutcome of(Histogram latencies, double seconds) {
        return new BenchmarkOutcome(
                latencies.getTotalCount(),
                seconds,
                PERCENTILES.stream().map(latencies::getValueAtPercentile).toList());
    }

    /**
     * Combines outcomes of one call each.
     *
     * @param single the outcomes
     * @param seconds duration of the combined run in seconds
     * @return the combined outcome
     */
    public static BenchmarkOutcome together(List<BenchmarkOutcome> single, double seconds) {
        Histogram latencies = new Histogram(MOST_NANOS, DIGITS);
        single.forEach(each -> latencies.recordValue(each.nanos.getLast()));
        return of(latencies, seconds);
    }

    /**
     * Combines the outcomes of runs that took place at the same time. The duration is that of the longest run. Each
     * percentile is the median over the runs, which approximates the percentile of all calls if the runs are alike.
     */
    static BenchmarkOutcome concurrent(List<BenchmarkOutcome> runs) {
        return new BenchmarkOutcome(
                runs.stream().mapToLong(BenchmarkOutcome::calls).sum(),
                runs.stream().mapToDouble(BenchmarkOutcome::seconds).max().orElse(Double.NaN),
                IntStream.range(0, PERCENTILES.size())
                        .mapToObj(i -> (long) Median.of(runs.stream()
                                .mapToDouble(run -> run.nanos.get(i))
                                .toArray()))
                        .toList());
    }

    static BenchmarkOutcome parse(String words) {
        String[] each = words.split(" ", -1);
        return new BenchmarkOutcome(
                Long.parseLong(each[0]),
                Double.parseDouble(each[1]),
                Arrays.stream(each).skip(2).map(Long::parseLong).toList());
    }

    String words() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%d %.6f", calls, seconds));
        for (Long value : nanos) {
            text.append(' ').append(value);
        }
        return text.toString();
    }

    /**
     * Returns a percentile of the latency.
     *
     * @param percentile one of {@link #PERCENTILES}
     * @return latency in microseconds
     */
    public double micros(double percentile) {
        int index = PERCENTILES.indexOf(percentile);
        if (index < 0) {
            throw new IllegalArgumentException(percentile + " % is not recorded: use one of " + PERCENTILES);
        }
        return nanos.isEmpty() ? 0 : nanos.get(index) / 1e3;
    }

    /**
     * Returns the rate.
     *
     * @return calls per second
     */
    public double perSecond() {
        return calls / seconds;
    }
}
