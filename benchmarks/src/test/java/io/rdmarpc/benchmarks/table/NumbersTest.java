package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {

    @Test
    void shouldShowMedianMinimumAndMaximum() {
        assertThat(Numbers.spread(new double[] {4, 1, 2}, "µs")).isEqualTo("2.00 [1.00-4.00] µs");
    }

    @Test
    void whenTheNumberOfValuesIsEvenThenItShowsTheMeanOfTheMiddleTwo() {
        assertThat(Numbers.spread(new double[] {4, 1, 2, 9}, "")).startsWith("3.00 ");
    }

    @Test
    void shouldIgnoreNaN() {
        assertThat(Numbers.spread(new double[] {Double.NaN, 5, Double.NaN}, "")).isEqualTo("5.00 [5.00-5.00]");
        assertThat(Numbers.spread(new double[] {Double.NaN}, "µs")).isEqualTo("-");
    }

    /** Of 100 values, the 40th and the 61st are the limits of the median's 95 % confidence interval. */
    @Test
    void whenThereAreManyRoundsThenItShowsTheConfidenceIntervalOfTheMedian() {
        double[] values = IntStream.rangeClosed(1, 100).mapToDouble(i -> i).toArray();

        assertThat(Numbers.spread(values, "ns")).isEqualTo("50.50 [40.00-61.00] ns");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0123, 0.012",
        "0.123, 0.12",
        "1.234, 1.23",
        "12.34, 12.3",
        "123.4, 123",
        "12345, 12.3 k",
        "1234567, 1.23 M",
        "0, 0",
        "-12.34, -12.3"
    })
    void shouldShowThreeSignificantDigits(double value, String text) {
        assertThat(Numbers.text(value)).isEqualTo(text);
    }
}
