package io.rdmarpc.benchmarks.turns;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Turns")
class TurnRoundsTest {

    private final TurnRounds turns = new TurnRounds(200);

    private void rounds(double flag, double... firsts) {
        for (double first : firsts) {
            turns.add(new double[] {first, 300}, flag);
        }
    }

    private double[] ratios(int pair) {
        return Arrays.stream(turns.rounds(true))
                .mapToDouble(round -> turns.nanos(round, pair) / turns.first(round, pair))
                .toArray();
    }

    @Test
    @DisplayName("count as near only if both neighbors are near")
    void whenTheFlagChangesThenTheNeighboringRoundsDoNotCount() {
        rounds(100, 1, 2, 3, 4);
        rounds(400, 5, 6, 7, 8);

        assertThat(turns.rounds(true)).containsExactly(1, 2);
        assertThat(turns.rounds(false)).containsExactly(5, 6);
        assertThat(turns.nanos(5, 0)).isEqualTo(6);
        assertThat(turns.flag(5)).isEqualTo(400);
    }

    @Test
    @DisplayName("are compared with the first pair's turns before and after")
    void shouldCompareWithBothNeighbors() {
        rounds(100, 100, 200, 400, 800);

        assertThat(ratios(1)).containsExactly(300.0 / 300, 300.0 / 600);
        assertThat(ratios(0)).containsExactly(200.0 / 250, 400.0 / 500);
    }

    @Test
    @DisplayName("whose flag is unknown do not count, and neither do their neighbors")
    void whenTheFlagIsMissingThenTheRoundIsIgnored() {
        rounds(100, 100, 100);
        turns.add(new double[] {100, Double.NaN}, 100);
        rounds(100, 100, 100);
        turns.add(new double[] {100, 300}, Double.NaN);

        assertThat(turns.rounds(true)).containsExactly(1, 2, 3);
        assertThat(ratios(1)).containsExactly(3, Double.NaN, 3);
    }

    @Test
    @DisplayName("are empty at first")
    void whenThereAreNoRoundsThenNoneCounts() {
        assertThat(turns.rounds(true)).isEmpty();
        assertThat(turns.rounds(false)).isEmpty();
        assertThat(turns.isEmpty(0)).isTrue();
    }

    @Test
    @DisplayName("of a pair are empty if none of them was long enough")
    void whenNoTurnHasATimeThenThePairIsEmpty() {
        turns.add(new double[] {100, Double.NaN}, 100);
        turns.add(new double[] {Double.NaN, Double.NaN}, 100);

        assertThat(turns.isEmpty(0)).isFalse();
        assertThat(turns.isEmpty(1)).isTrue();
    }
}
