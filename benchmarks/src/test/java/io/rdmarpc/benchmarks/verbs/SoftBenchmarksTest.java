package io.rdmarpc.benchmarks.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.TwoEnds;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both ends of each benchmark on the software RNIC. The test checks that benchmarks run, not their figures. */
@Timeout(180)
class SoftBenchmarksTest {

    @Test
    void shouldMeasureTheLatencyOfDatagrams() throws Exception {
        TwoEnds ends =
                TwoEnds.run(VerbsBenchmarks::run, "send-lat", "-c", "UD", "-s", "64", "-n", "500", "--warm-up", "600");

        assertThat(ends.client()).isZero();
        assertThat(ends.server()).isZero();
    }

    @Test
    void shouldMeasureTheRateOfDatagramsAndLoseNone() throws Exception {
        TwoEnds ends = TwoEnds.run(VerbsBenchmarks::run, "send-rate", "-n", "5000", "--warm-up", "1000");

        assertThat(ends.client()).isZero();
        assertThat(ends.server()).isZero();
    }

    @Test
    void shouldUseMoreMemoryThanOneMessage() throws Exception {
        TwoEnds ends =
                TwoEnds.run(VerbsBenchmarks::run, "read-bw", "-s", "65536", "-n", "40", "-t", "4", "--span", "1");

        assertThat(ends.client()).isZero();
        assertThat(ends.server()).isZero();
    }

    @Test
    void shouldMeasureTheTimeToWakeASleepingThread() throws Exception {
        TwoEnds ends = TwoEnds.run(VerbsBenchmarks::run, "wake-up", "-n", "20");

        assertThat(ends.client()).isZero();
        assertThat(ends.server()).isZero();
    }

    @Test
    void whenNoServerListensThenTheClientFails() throws Exception {
        String port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = Integer.toString(socket.getLocalPort());
        }

        assertThat(VerbsBenchmarks.run(ignored -> {}, TwoEnds.onSoft("read-bw", "-p", port, "127.0.0.1")))
                .isEqualTo(1);
    }
}
