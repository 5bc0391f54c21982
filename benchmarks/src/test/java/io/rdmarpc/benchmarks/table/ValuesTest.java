package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ValuesTest {

    @Test
    void shouldShowMedianLeastAndMost() {
        assertThat(new Values(4, 1, 2).text(2)).isEqualTo("2.00 [1.00-4.00]");
    }

    @Test
    void shouldTakeTheMeanOfTheMiddleTwoOfAnEvenNumber() {
        assertThat(new Values(4, 1, 2, 9).median()).isEqualTo(3);
    }
}
