package io.rdmarpc.benchmarks.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.TwoEnds;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hot path of the software RNIC. The virtual machine checks that of libibverbs by the same command. */
@Timeout(180)
@DisplayName("Posting and polling on the software RNIC")
@Tag("processes")
class AllocationCheckTest {

    private static int check(String... operations) {
        String[] words =
                Stream.concat(Stream.of("allocation"), Stream.of(operations)).toArray(String[]::new);
        return VerbsBenchmarks.run(port -> {}, TwoEnds.onSoft(words));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UD_SEND", "RC_SEND", "RC_WRITE", "RC_READ"})
    void shouldAllocateNothing(String operation) {
        assertThat(check(operation)).isZero();
    }
}
