package io.rdmarpc.benchmarks.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A measurement of the engine")
@Timeout(120)
class EchoRunTest {

    @ParameterizedTest
    @EnumSource(EchoMeasure.class)
    @DisplayName("ends with a number, and checks the responses")
    void shouldMeasure(EchoMeasure measure) {
        try (EchoPair pair = new EchoPair(measure)) {
            assertThat(pair.measure(Duration.ofMillis(50))).isNotNegative().isFinite();
        }
    }
}
