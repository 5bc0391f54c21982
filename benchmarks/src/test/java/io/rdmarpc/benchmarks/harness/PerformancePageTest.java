package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Compares the page of results with the CSV files. {@code -Ddocs.write=true} rewrites it. */
@DisplayName("The page of results")
class PerformancePageTest {

    private static final int MOST_WORDS_OF_A_CELL = 15;

    private static final GeneratedPage PAGE = new GeneratedPage(Path.of("..", "docs", "explanation", "performance.md"));

    private final PageTables tables = new PageTables(Path.of("..", "docs", "lab", "performance"));

    PerformancePageTest() throws IOException {}

    @Test
    void shouldHaveTheFiguresWithDefaultSettings() throws IOException {
        String wanted = tables.defaults();

        assertThat(PAGE.generated("defaults", wanted)).isEqualTo(wanted);
    }

    @Test
    void shouldHaveTheGoalsOfTheCsvFiles() throws IOException {
        String wanted = tables.results();

        assertThat(PAGE.generated("results", wanted)).isEqualTo(wanted);
    }

    @Test
    void shouldHaveTheRatesByThreadsOfTheCsvFiles() throws IOException {
        String wanted = tables.scale();

        assertThat(PAGE.generated("scale", wanted)).isEqualTo(wanted);
    }

    @Test
    void shouldHaveTheMachineAndTheSettingsOfEachRun() throws IOException {
        String wanted = tables.runs();

        assertThat(PAGE.generated("runs", wanted)).isEqualTo(wanted);
    }

    @Test
    void shouldHaveEachGoal() throws IOException {
        assertThat(CallsCommand.lines("goals.csv"))
                .extracting(line -> "| " + line.comparison().id() + " |")
                .allMatch(tables.results()::contains);
    }

    @Test
    void shouldHaveShortCells() throws IOException {
        assertThat(Arrays.stream((tables.results() + tables.scale()).split("[|\n]", -1)))
                .allSatisfy(
                        cell -> assertThat(cell.strip().split(" ", -1)).hasSizeLessThanOrEqualTo(MOST_WORDS_OF_A_CELL));
    }
}
