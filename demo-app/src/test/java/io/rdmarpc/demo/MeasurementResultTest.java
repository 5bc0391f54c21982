package io.rdmarpc.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MeasurementResultTest {

    @Test
    void shouldBecomeALineAndBack() {
        MeasurementResult result = new MeasurementResult("place", 3, 1.5, 2.25, 3, 4, 5, "place: 1 wrong");

        assertThat(MeasurementResult.ofLine(result.toLine())).isEqualTo(result);
    }

    @Test
    void whenAProblemContainsLineBreaksThenItStaysOneLine() {
        MeasurementResult result = new MeasurementResult("place", 3, 1.5, 2, 3, 4, 5, "a\tb\nc");

        assertThat(MeasurementResult.ofLine(result.toLine()).problem()).isEqualTo("a b c");
    }

    @Test
    void whenALineIsNoResultThenItIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MeasurementResult.ofLine("place\t3"))
                .withMessageContaining("8 fields")
                .withMessageContaining("place\t3");
    }

    @Test
    void shouldCountWrongResponsesAndFailures() {
        Measurement measurement = new Measurement("place");
        measurement.one(0, _ -> true);
        measurement.one(1, _ -> false);
        measurement.one(2, _ -> {
            throw new IllegalStateException("lost");
        });
        measurement.took(Duration.ofSeconds(1));

        MeasurementResult result = measurement.result();

        assertThat(result.isClean()).isFalse();
        assertThat(result.perSecond()).isEqualTo(3);
        assertThat(result.problem())
                .isEqualTo("place: 1 wrong responses and 1 failures in 3, first: wrong response to call 1");
    }

    @Test
    void whenThereWasNoCallThenItIsNotClean() {
        assertThat(new Measurement("place").result().isClean()).isFalse();
    }
}
