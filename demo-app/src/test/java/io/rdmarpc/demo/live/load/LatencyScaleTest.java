package io.rdmarpc.demo.live.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyScaleTest {

    @Test
    void shouldGrowByAFactorOfTwoInEightSteps() {
        assertThat(LatencyScale.bucketOf(1_000)).isZero();
        assertThat(LatencyScale.bucketOf(2_001)).isEqualTo(LatencyScale.PER_OCTAVE);
        assertThat(LatencyScale.bucketOf(1_024_001)).isEqualTo(10 * LatencyScale.PER_OCTAVE);
    }

    @Test
    void whenALatencyIsOffTheScaleThenTheFirstOrLastBucketCountsIt() {
        assertThat(LatencyScale.bucketOf(0)).isZero();
        assertThat(LatencyScale.bucketOf(TimeUnit.HOURS.toNanos(1))).isEqualTo(LatencyScale.BUCKETS - 1);
    }

    @Test
    void shouldCountEveryCallOnce() {
        Histogram nanos = new Histogram(100, TimeUnit.MINUTES.toNanos(1), 3);
        for (int call = 0; call < 1000; call++) {
            nanos.recordValue(1_000L + call * 1_000_000L);
        }

        assertThat(Arrays.stream(LatencyScale.counts(nanos)).sum()).isEqualTo(1000);
    }
}
