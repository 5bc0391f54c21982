package io.rdmarpc.demo.live.load;

import org.HdrHistogram.Histogram;

/** Percentiles of latencies, in microseconds. */
public record Percentiles(long calls, double p50, double p90, double p99, double p999, double max) {

    static Percentiles of(Histogram nanos) {
        return new Percentiles(
                nanos.getTotalCount(),
                micros(nanos, 50),
                micros(nanos, 90),
                micros(nanos, 99),
                micros(nanos, 99.9),
                nanos.getMaxValue() / 1000.0);
    }

    private static double micros(Histogram nanos, double percentile) {
        return nanos.getTotalCount() == 0 ? 0 : nanos.getValueAtPercentile(percentile) / 1000.0;
    }
}
