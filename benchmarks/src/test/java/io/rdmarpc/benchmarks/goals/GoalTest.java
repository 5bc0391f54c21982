package io.rdmarpc.benchmarks.goals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A goal")
class GoalTest {

    private final Results results = new Results(3);

    private static Figure figure(double... values) {
        return new Figure("someone", "somehow", "us", List.of(), (results, round) -> values[round]);
    }

    private static Goal goal(Figure ours, Figure theirs, double bound, boolean atMost) {
        return new Goal("P0", "group", "work", ours, theirs, bound, atMost);
    }

    @Test
    void judgesTheMedianOfTheRatiosAndNotTheRatioOfTheMedians() {
        Figure ours = figure(1, 10, 100);
        Figure theirs = figure(10, 10, 10_000);

        // Ratios 0.1, 1, 0.01; of the medians it would be 1.
        assertThat(goal(ours, theirs, 0.2, true).verdict(results)).isEqualTo("met");
        assertThat(goal(ours, theirs, 0.05, true).verdict(results)).isEqualTo("missed");
    }

    @Test
    void canAskForAtLeast() {
        assertThat(goal(figure(3, 3, 3), figure(1, 1, 1), 3, false).verdict(results))
                .isEqualTo("met");
        assertThat(goal(figure(2, 3, 2), figure(1, 1, 1), 3, false).verdict(results))
                .isEqualTo("missed");
    }

    @Test
    void canStandForItself() {
        assertThat(goal(figure(1, 2, 3), null, 2, true).verdict(results)).isEqualTo("met");
    }

    @Test
    void leavesOutRoundsThatFailed() {
        Figure ours = figure(1, Double.NaN, Double.NaN);

        assertThat(goal(ours, figure(2, 2, 2), 0.5, true).verdict(results)).isEqualTo("met");
    }

    @Test
    void whenNothingWasMeasuredThenSaysSo() {
        Figure none = figure(Double.NaN, Double.NaN, Double.NaN);

        assertThat(goal(none, null, 1, true).verdict(results)).isEqualTo("not measured");
        assertThat(goal(none, null, 1, true).row(results)).contains("not measured");
    }
}
