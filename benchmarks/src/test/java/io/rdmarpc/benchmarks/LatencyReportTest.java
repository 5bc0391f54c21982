package io.rdmarpc.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyReportTest {

    /** Post times whose half round trips are 1 to {@code count} microseconds. */
    private static long[] postsOf(int count) {
        long[] nanos = new long[count + 1];
        for (int i = 0; i < count; i++) {
            nanos[i + 1] = nanos[i] + (i + 1) * 2_000L;
        }
        return nanos;
    }

    @Test
    void shouldReportHalfTheTimeBetweenPosts() {
        assertThat(new LatencyReport(new long[] {100, 25_100}, 0).typical()).isEqualTo(12.5);
    }

    @Test
    void shouldReportTheMedianAsTypical() {
        assertThat(new LatencyReport(postsOf(5), 0).typical()).isEqualTo(3);
        assertThat(new LatencyReport(postsOf(4), 0).typical()).isEqualTo(2.5);
    }

    @Test
    void shouldReportPercentilesOfMeasuredTimes() {
        LatencyReport report = new LatencyReport(postsOf(1000), 0);

        assertThat(report.percentile(99)).isEqualTo(990);
        assertThat(report.percentile(99.9)).isEqualTo(999);
    }

    @Test
    void shouldExcludeTheWarmUp() {
        assertThat(new LatencyReport(postsOf(9), 6).typical()).isEqualTo(8);
    }

    @Test
    void shouldPrintTheTypicalLatencyInTheColumnOfTheCTool() {
        String[] columns = new LatencyReport(postsOf(5), 0).line(64).trim().split(" +", -1);

        assertThat(columns).startsWith("64", "6", "1.00", "5.00", "3.00");
    }
}
