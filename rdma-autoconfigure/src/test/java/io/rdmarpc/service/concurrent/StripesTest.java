package io.rdmarpc.service.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StripesTest {

    @Test
    void shouldBeAPowerOfTwo() {
        assertThat(Integer.bitCount(Stripes.COUNT)).isOne();
    }

    @Test
    void shouldCoverEachStripeWithConsecutiveThreads() {
        Set<Integer> stripes = new HashSet<>();
        for (long id = 1; id <= 4L * Stripes.COUNT; id++) {
            stripes.add(Stripes.of(id));
        }

        assertThat(stripes)
                .hasSize(Stripes.COUNT)
                .allSatisfy(stripe -> assertThat(stripe).isBetween(0, Stripes.COUNT - 1));
    }

    @ParameterizedTest
    @CsvSource({"1, 16", "16, 16", "17, 32", "64, 64", "96, 128", "1000, 256"})
    void shouldHaveAStripeForEachProcessor(int processors, int stripes) {
        assertThat(Stripes.count(processors)).isEqualTo(stripes);
    }

    @Test
    void shouldSelectOneOfTheStripes() {
        assertThat(Stripes.current()).isBetween(0, Stripes.COUNT - 1);
    }

    @Test
    void shouldSelectTheSameStripeForEachCallOfAThread() {
        assertThat(Stripes.ofThread()).isEqualTo(Stripes.ofThread()).isBetween(0, Stripes.COUNT - 1);
    }
}
