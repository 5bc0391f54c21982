package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoalTest {

    @ParameterizedTest
    @CsvSource({
        "ratio <= 3.0, 3, 100, met",
        "ratio <= 3.0, 3.01, 0, missed",
        "ratio >= 0.9, 0.9, 0, met",
        "ratio >= 0.9, 0.89, 100, missed",
        "ratio > 1.0, 1, 100, missed",
        "ratio > 1.0, 1.01, 0, met"
    })
    void whenTheGoalIsARatioThenTheFigureDoesNotCount(String goal, double ratio, double figure, String verdict) {
        assertThat(new Goal(goal).verdict(ratio, figure)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        ">= 8.0 M/s, 0.1, 8, met",
        ">= 8.0 M/s, 100, 7.9, missed",
        "< 1.0 %, 0.1, 1, missed",
        "<= 2.5 µs, 100, 2.5, met",
        "0, 1, 0.001, missed",
        "0, 1, 0, met"
    })
    void whenTheGoalIsAFigureThenTheRatioDoesNotCount(String goal, double ratio, double figure, String verdict) {
        assertThat(new Goal(goal).verdict(ratio, figure)).isEqualTo(verdict);
    }

    @Test
    void whenThereIsNoGoalThenThereIsNoVerdict() {
        assertThat(new Goal("-").verdict(100, 100)).isEqualTo("-");
    }

    @Test
    void whenNothingWasMeasuredThenTheGoalIsNeitherMetNorMissed() {
        assertThat(new Goal("ratio <= 1").verdict(Double.NaN, 1)).isEqualTo("not measured");
    }

    @Test
    void whenATextIsNotAGoalThenItIsRejected() {
        assertThatThrownBy(() -> new Goal("fast").verdict(1, 1)).hasMessageContaining("\"fast\" is not a goal");
    }

    @ParameterizedTest
    @ValueSource(strings = {"goals.csv", "settings.csv", "verbs.csv", "engine.csv", "memory.csv", "sessions.csv"})
    void shouldParseTheGoalsOfEachTable(String file) throws IOException {
        List<CsvRow> rows = CsvRow.resource(Harness.class, file);

        assertThat(rows)
                .isNotEmpty()
                .allSatisfy(row ->
                        assertThat(new Goal(row.text("goal")).verdict(1, 1)).isIn("met", "missed", "-"));
    }
}
