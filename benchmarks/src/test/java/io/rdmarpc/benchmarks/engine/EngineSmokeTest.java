package io.rdmarpc.benchmarks.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Properties that every change must keep. The test prints times but does not check them, because machines differ too
 * much.
 */
@DisplayName("A call on bytes")
@Timeout(180)
@Tag("processes")
class EngineSmokeTest {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration FOR_COMPILERS = Duration.ofSeconds(6);

    private static double measure(EchoMeasure measure, Duration time) {
        try (EchoPair pair = new EchoPair(measure)) {
            pair.measure(time);
            return pair.measure(time);
        }
    }

    @Test
    @DisplayName("allocates nothing in the engines of both sides and in its caller")
    void shouldAllocateNothing() {
        System.out.printf(
                "EngineSmokeTest, not checked: %.2f µs half a round trip, %.2f million calls/s, %.0f MiB/s%n",
                measure(EchoMeasure.LATENCY, SHORT),
                measure(EchoMeasure.RATE, SHORT),
                measure(EchoMeasure.BANDWIDTH, SHORT));

        assertThat(measure(EchoMeasure.ALLOCATION, FOR_COMPILERS))
                .as("bytes per call")
                .isZero();
    }
}
