package io.rdmarpc.benchmarks.turns;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Turns")
class TurnsTest {

    private final Turns turns = new Turns(200);

    private void rounds(double flag, double... firsts) {
        for (double first : firsts) {
            turns.add(new double[] {first, 300}, flag);
        }
    }

    @Test
    @DisplayName("count as near when those on either side are near, too")
    void whenTheFlagChangesThenTheRoundsAroundDoNotCount() {
        rounds(100, 1, 2, 3, 4);
        rounds(400, 5, 6, 7, 8);

        assertThat(turns.rounds(true)).containsExactly(1, 2);
        assertThat(turns.rounds(false)).containsExactly(5, 6);
        assertThat(turns.nanos(turns.rounds(false), 0)).containsExactly(6, 7);
        assertThat(turns.flag(turns.rounds(false))).containsExactly(400, 400);
    }

    @Test
    @DisplayName("compare one with the first's turns before and after it")
    void shouldCompareWithBothNeighbours() {
        rounds(100, 100, 200, 400, 800);

        assertThat(turns.ratios(turns.rounds(true), 1)).containsExactly(300.0 / 300, 300.0 / 600);
        assertThat(turns.ratios(turns.rounds(true), 0)).containsExactly(200.0 / 250, 400.0 / 500);
    }

    @Test
    @DisplayName("in which somebody made too few calls say nothing of it")
    void whenANumberIsMissingThenItIsLeftOut() {
        rounds(100, 100, 100);
        turns.add(new double[] {100, Double.NaN}, 100);
        rounds(100, 100, 100);
        turns.add(new double[] {100, 300}, Double.NaN);

        assertThat(turns.rounds(true)).containsExactly(1, 2, 3);
        assertThat(turns.ratios(turns.rounds(true), 1)).containsExactly(3, 3);
    }

    @Test
    @DisplayName("are none at first")
    void whenThereWereNoRoundsThenNoneCounts() {
        assertThat(turns.rounds(true)).isEmpty();
        assertThat(turns.rounds(false)).isEmpty();
    }
}
