package io.rdmarpc.benchmarks.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hot path of the software RNIC. That of libibverbs is looked at in the virtual machine, by the same command. */
@Timeout(180)
@DisplayName("Posting and polling on the software RNIC")
class AllocationCheckTest {

    private static int check(String... operations) {
        Stream<String> options =
                Stream.of("allocation", "--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0");
        return VerbsBenchmarks.run(Stream.concat(options, Stream.of(operations)).toArray(String[]::new));
    }

    @Test
    void allocatesNothingForDatagrams() {
        assertThat(check("UD_SEND")).isZero();
    }

    @Test
    void allocatesNothingForReads() {
        assertThat(check("RC_READ")).isZero();
    }
}
