package io.rdmarpc.service.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void shouldSpreadVirtualThreadsEvenly(int count) {
        int[] threads = new int[count];
        for (long id = 1; id <= 100L * count; id++) {
            threads[Stripes.of(id, count)]++;
        }

        assertThat(Arrays.stream(threads).boxed())
                .allSatisfy(each -> assertThat(each).isBetween(95, 105));
    }

    /** Threads of other tests may ask meanwhile. */
    @Test
    void shouldSpreadPlatformThreadsEvenly() throws InterruptedException {
        int[] threads = new int[3];
        for (int i = 0; i < 300; i++) {
            Thread.ofPlatform().start(() -> threads[Stripes.ofThread(3)]++).join();
        }

        assertThat(Arrays.stream(threads).boxed())
                .allSatisfy(each -> assertThat(each).isBetween(80, 120));
    }

    @Test
    void shouldKeepAThreadAtItsObject() {
        assertThat(Stripes.ofThread(5)).isEqualTo(Stripes.ofThread(5)).isBetween(0, 4);
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
