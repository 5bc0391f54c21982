package io.rdmarpc.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A warm-up")
class WarmUpTest {

    private int slices;

    private static BenchmarkMeasurement slice(long calls, long compilerMillis) {
        BenchmarkCounters used = new BenchmarkCounters(0, 0, 0, compilerMillis);
        return new BenchmarkMeasurement(
                new BenchmarkOutcome(calls, 1, List.of()), used, new BenchmarkCounters(0, 0, 0, 0));
    }

    @Test
    void whenTheRateIsStableAndTheCompilersAreIdleThenItEnds() throws IOException {
        boolean warm = new WarmUp(60).run(seconds -> {
            slices++;
            return slice(1_000, 20);
        });

        assertThat(warm).isTrue();
        assertThat(slices).isEqualTo(1 + WarmUp.WARM_SLICES);
    }

    @Test
    void whenTheRateStillRisesThenItContinues() throws IOException {
        boolean warm = new WarmUp(10).run(seconds -> slice(1_000L * ++slices * slices, 0));

        assertThat(warm).isFalse();
    }

    @Test
    void whenTheCompilersAreStillBusyThenItContinues() throws IOException {
        new WarmUp(60).run(seconds -> slice(1_000, ++slices < 30 ? 400 : 0));

        assertThat(slices).isEqualTo(29 + WarmUp.WARM_SLICES);
    }

    @Test
    void whenASliceIsSlowerThenItCountsAsWarm() throws IOException {
        new WarmUp(60).run(seconds -> slice(++slices % 2 == 0 ? 700 : 1_000, 0));

        assertThat(slices).isEqualTo(1 + WarmUp.WARM_SLICES);
    }

    @Test
    void shouldEndAtTheTimeLimit() throws IOException {
        double[] spent = new double[1];
        new WarmUp(4).run(seconds -> {
            spent[0] += seconds;
            return slice(1_000, 1_000);
        });

        assertThat(spent[0]).isEqualTo(4);
    }
}
