package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResultsTableTest {

    private static final double NONE = Double.NaN;

    private static List<CsvRow> rounds(String peer, String goal, double[] ours, double[] theirs) {
        Comparison comparison = new Comparison("Here", "P0", "work", "-", "µs", "someone", peer, goal);
        return IntStream.range(0, ours.length)
                .mapToObj(i -> comparison.round(i + 1, ours[i], theirs[i], NONE))
                .toList();
    }

    private static double[] of(double... values) {
        return values;
    }

    private static String table(String peer, String goal, double[] ours, double[] theirs) {
        return new ResultsTable(rounds(peer, goal, ours, theirs)).toString();
    }

    @Test
    void shouldCompareFiguresOfTheSameRound() {
        assertThat(table("another", "ratio <= 3", of(2, 40, 300), of(1, 10, 100)))
                .contains("| P0 | work | someone: 40.0 [2.00-300] µs | another: 10.0 [1.00-100] µs | 3.00 [2.00-4.00]"
                        + " | ratio <= 3 | met |");
    }

    @Test
    void shouldEvaluateTheMedianOfTheRatiosInsteadOfTheRatioOfTheMedians() {
        double[] ours = of(1, 10, 100);
        double[] theirs = of(10, 10, 10_000);

        // The ratios are 0.1, 1 and 0.01. The ratio of the medians would be 1.
        assertThat(table("another", "ratio <= 0.2", ours, theirs)).contains("| met |");
        assertThat(table("another", "ratio <= 0.05", ours, theirs)).contains("| missed |");
    }

    @Test
    void shouldEvaluateAFigureWithoutAPeer() {
        assertThat(table("-", "<= 2 µs", of(1, 2, 3), of(NONE, NONE, NONE)))
                .contains("| P0 | work | someone: 2.00 [1.00-3.00] µs | <= 2 µs | met |");
    }

    @Test
    void shouldIgnoreRoundsInWhichAMeasurementFailed() {
        assertThat(table("another", "-", of(2, 5, NONE), of(1, NONE, 1))).contains("| 2.00 [2.00-2.00] |");
    }

    @Test
    void whenNothingWasMeasuredThenTheVerdictIsNotMeasured() {
        assertThat(table("another", "ratio <= 1", of(NONE), of(NONE)))
                .contains("| someone: - | another: - | ratio <= 1 | not measured |");
    }

    @Test
    void shouldHaveATableForEachSection() {
        List<CsvRow> rows = new ArrayList<>(rounds("another", "-", of(1), of(1)));
        rows.add(new Comparison("There", "-", "more work", "-", "B", "", "-", "0").round(1, 0, NONE, 7));

        assertThat(new ResultsTable(rows).toString())
                .contains("## Here\n\n| # |", "## There\n\n| measure |", "| more work | 0 [0-0] B | 0 | met | 7 % |");
    }

    @Test
    void shouldCountMissedGoals() {
        List<CsvRow> rows = new ArrayList<>(rounds("another", "ratio <= 0.5", of(1), of(1)));
        rows.addAll(rounds("another", "ratio <= 2", of(1), of(1)));
        rows.addAll(rounds("another", "-", of(1), of(1)));

        assertThat(new ResultsTable(rows).missed()).isEqualTo(1);
    }

    @Test
    void shouldHaveTheSameNumberOfCellsInEachLine() {
        assertThat(table("another", "ratio <= 1", of(1), of(1)).lines().filter(line -> line.startsWith("|")))
                .extracting(line -> line.split("\\|", -1).length)
                .containsOnly(9);
    }
}
