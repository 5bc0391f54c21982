package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.00025S, 250 µs",
        "PT0.001S, 1 ms",
        "PT0.0015S, 1500 µs",
        "PT0.0105S, 10 ms",
        "PT2S, 2000 ms"
    })
    void shouldUseTheUnitThatIsPreciseEnough(Duration time, String text) {
        assertThat(TimeText.of(time)).isEqualTo(text);
    }
}
