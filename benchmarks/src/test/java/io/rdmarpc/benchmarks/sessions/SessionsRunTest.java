package io.rdmarpc.benchmarks.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionsRunTest {

    @Test
    void shouldDistributeUnevenNumbersEvenly() {
        SessionsRun run = new SessionsRun(4, 1024, 128, 1);

        assertThat(new int[] {run.share(10, 0), run.share(10, 1), run.share(10, 2), run.share(10, 3)})
                .containsExactly(3, 3, 2, 2);
    }
}
