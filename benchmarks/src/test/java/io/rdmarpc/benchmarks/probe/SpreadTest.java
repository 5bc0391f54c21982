package io.rdmarpc.benchmarks.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void whenTheNumberOfRunsIsOddThenTheMedianIsTheMiddle() {
        assertThat(new Spread(9, 1, 3).median()).isEqualTo(3);
    }

    @Test
    void whenTheNumberOfRunsIsEvenThenTheMedianIsTheMeanOfTheMiddleTwo() {
        assertThat(new Spread(9, 1, 3, 4).median()).isEqualTo(3.5);
    }

    @Test
    void shouldPrintNameValueUnitAndSpread() {
        assertThat(new Spread(2, 1, 3).line("ring", "M/s")).isEqualTo("ring 2.000 M/s (1.000 to 3.000 in 3 runs)");
    }
}
