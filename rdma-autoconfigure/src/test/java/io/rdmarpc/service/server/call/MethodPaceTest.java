package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MethodPaceTest {

    private final MethodPace pace = new MethodPace();

    private void shortRuns(int count) {
        for (int i = 0; i < count; i++) {
            pace.ran(MethodPace.MAX_NANOS);
        }
    }

    @Test
    void shouldBeSlowAtFirst() {
        shortRuns(MethodPace.SHORT_RUNS - 1);

        assertThat(pace.isQuick()).isFalse();
    }

    @Test
    void whenManyRunsAreShortThenItIsQuick() {
        shortRuns(MethodPace.SHORT_RUNS);

        assertThat(pace.isQuick()).isTrue();
    }

    @Test
    void whenOneRunIsLongThenItIsSlow() {
        shortRuns(MethodPace.SHORT_RUNS);
        pace.ran(MethodPace.MAX_NANOS + 1);

        assertThat(pace.isQuick()).isFalse();
    }

    @Test
    void whenOneOfManyRunsIsLongThenItStaysSlow() {
        for (int i = 0; i < 10; i++) {
            shortRuns(MethodPace.SHORT_RUNS - 1);
            pace.ran(MethodPace.MAX_NANOS + 1);
        }

        assertThat(pace.isQuick()).isFalse();
    }

    @Test
    void whenItWasSlowThenManyShortRunsMakeItQuickAgain() {
        shortRuns(MethodPace.SHORT_RUNS);
        pace.becomeSlow();
        shortRuns(MethodPace.SHORT_RUNS - 1);
        assertThat(pace.isQuick()).isFalse();
        shortRuns(1);

        assertThat(pace.isQuick()).isTrue();
    }
}
