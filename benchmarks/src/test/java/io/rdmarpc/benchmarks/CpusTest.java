package io.rdmarpc.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpusTest {

    @Test
    void shouldParseTheKernelsListFormat() {
        assertThat(Cpus.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
    }

    @Test
    void shouldParseASingleCpu() {
        assertThat(Cpus.parse("5")).containsExactly(5);
    }
}
