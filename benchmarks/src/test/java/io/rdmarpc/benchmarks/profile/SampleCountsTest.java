package io.rdmarpc.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Samples of a profile")
class SampleCountsTest {

    private static String tables(SampleCounts counts) {
        return new ProfileTables(counts.rows("client")).toString();
    }

    @Test
    void shouldCountARecursiveMethodOnce() {
        SampleCounts counts = new SampleCounts();
        counts.add("caller", List.of("Inner.work", "Outer.call", "Outer.call"));
        counts.add("caller", List.of("Outer.call"));

        assertThat(tables(counts))
                .contains("2 CPU time samples, 0 lost")
                .contains("| caller | 100.0 % |")
                .contains("| Inner.work | 50.0 % | 50.0 % |")
                .contains("| Outer.call | 50.0 % | 100.0 % |");
    }

    @Test
    void whenThereIsNoSampleThenItNamesTheRequirements() {
        assertThat(tables(new SampleCounts())).contains("JDK 25");
    }
}
