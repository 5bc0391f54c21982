package io.rdmarpc.benchmarks.goals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The effect of a setting")
class EffectTest {

    private final Results results = new Results(3);

    private static Figure figure(double... values) {
        return new Figure("someone", "somehow", "/s", List.of(), (results, round) -> values[round]);
    }

    private static Effect effect(Figure without, Figure with) {
        return new Effect("`rdma.some=thing`", "calls, rate", without, with);
    }

    @Test
    void isOfTheNumbersOfTheSameRound() {
        Effect effect = effect(figure(1, 10, 100), figure(2, 40, 300));

        assertThat(effect.row(results))
                .isEqualTo("| `rdma.some=thing` | calls, rate | 10.0 [1.00-100] /s | 40.0 [2.00-300] /s"
                        + " | 3.00 [2.00-4.00] | - |");
    }

    @Test
    void leavesOutRoundsInWhichOneOfThemFailed() {
        Effect effect = effect(figure(1, Double.NaN, 1), figure(2, 5, Double.NaN));

        assertThat(effect.row(results)).contains("| 2.00 [2.00-2.00] |");
    }

    @Test
    void whenNothingWasMeasuredThenSaysSo() {
        Figure none = figure(Double.NaN, Double.NaN, Double.NaN);

        assertThat(effect(none, figure(1, 1, 1)).row(results)).endsWith("| - | 1.00 [1.00-1.00] /s | - | - |");
    }

    @Test
    void hasAsManyColumnsAsTheHeader() {
        String row = effect(figure(1, 1, 1), figure(1, 1, 1)).row(results);

        assertThat(Effect.HEADER.lines().map(EffectTest::columns)).containsOnly(columns(row));
    }

    private static int columns(String line) {
        return line.split("\\|", -1).length;
    }

    @Test
    void comparesTheSameNumberOfTwoThatAreNotTheSame() {
        assertThat(Effects.groups().stream().flatMap(List::stream))
                .isNotEmpty()
                .allMatch(effect -> effect.without().unit().equals(effect.with().unit()))
                .allMatch(effect -> effect.needs().stream().distinct().count() == 2);
    }
}
