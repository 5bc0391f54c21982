package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.rdmarpc.benchmarks.harness.CallsCommand.Line;
import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The report")
class ReportTest {

    private static final Need OURS = new Need("SPRING_INLINE ORDER PLATFORM 1");
    private static final Need THEIRS = new Need("AERON_IPC ORDER PLATFORM 1");

    @TempDir
    private Path directory;

    private static CsvRow measured(String part, Need need, long micros) {
        List<Long> nanos = Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), micros * 1_000);
        return MeasurementsTable.row(
                part,
                1,
                need,
                new BenchmarkMeasurement(
                        new BenchmarkOutcome(1_000, 2, nanos),
                        new BenchmarkCounters(3_000_000, 64_000, 0, 0),
                        new BenchmarkCounters(1_000_000, 32_000, 0, 0)),
                1.5);
    }

    private static RoundResults results() {
        RoundResults results = new RoundResults();
        results.add(OURS, 1, measured("goals", OURS, 4));
        results.add(THEIRS, 1, measured("goals", THEIRS, 8));
        return results;
    }

    private static Line goal() throws IOException {
        return CallsCommand.lines("goals.csv").stream()
                .filter(line -> line.needs().toList().equals(List.of(OURS, THEIRS)))
                .findFirst()
                .orElseThrow();
    }

    private static String table(Line line, RoundResults results) {
        return new ResultsTable(List.of(line.round(results, 1))).toString();
    }

    @Test
    void shouldScoreMeasuredGoals() throws IOException {
        assertThat(table(goal(), results()))
                .contains("| P1 |", "@RdmaService, inline: 4.00 [4.00-4.00] µs", "Aeron IPC, stock Kryo: 8.00")
                .contains("| 0.50 [0.50-0.50] | ratio <= 0.8 | met | 2 % |");
    }

    @Test
    void shouldListGoalsAndMatrixSeparately() {
        String text = new MeasurementsTable(List.of(
                        measured("goals", OURS, 4), measured("goals", THEIRS, 8), measured("matrix", OURS, 400)))
                .toString();

        assertThat(text)
                .contains("## Measurements behind the goals", "| @RdmaService, inline |", "| Aeron IPC, stock Kryo |")
                .containsPattern("(?s)## Every payload with every peer.*\\| 500 \\| 400 \\| 400 \\|");
    }

    @Test
    void whenANeedIsMeasuredTwiceInARoundThenItIsRejected() {
        RoundResults results = results();
        CsvRow again = measured("goals", THEIRS, 9);

        assertThatThrownBy(() -> results.add(THEIRS, 1, again)).hasMessageContaining("already measured in round 1");
    }

    @Test
    void shouldNeedEachMeasurementInOneGroupOnly() throws IOException {
        Map<Need, Set<String>> groups = new HashMap<>();
        for (Line line : CallsCommand.lines("goals.csv")) {
            line.needs()
                    .forEach(need -> groups.computeIfAbsent(need, each -> new TreeSet<>())
                            .add(line.group()));
        }

        assertThat(groups.values()).isNotEmpty().allMatch(each -> each.size() == 1);
    }

    @Test
    void shouldNameApiDispatchAndPollingThreadOfEachGoal() throws IOException {
        assertThat(CallsCommand.lines("goals.csv"))
                .extracting(line -> line.comparison().mode())
                .allMatch(mode -> mode.split("; ", -1).length >= 2)
                .allMatch(mode -> !mode.contains("null"));
    }

    @Test
    void shouldNameOnlyPeersThatSupportThePayload() throws IOException {
        assertThat(CallsCommand.lines("goals.csv").stream().flatMap(Line::needs).filter(need -> !need.isProgram()))
                .isNotEmpty()
                .allMatch(need -> need.peer().carries(need.cell().payload()));
    }

    @Test
    void whenNothingWasMeasuredThenItHasNoColumnForOtherPrograms() throws IOException {
        assertThat(table(goal(), new RoundResults()))
                .contains("| ratio <= 0.8 | not measured |")
                .doesNotContain("others");
    }

    @Test
    void shouldShowOtherProgramsDuringAProbe() {
        Need probe = new Need("@flag-ping-pong");
        RoundResults results = new RoundResults();
        results.add(probe, 1, CsvRow.of(RoundResults.VALUE, 0.5, Comparison.OTHERS, 7));

        assertThat(results.value(probe, 1, "")).isEqualTo(0.5);
        assertThat(results.others(List.of(probe).stream(), 1)).isEqualTo(7);
    }

    @Test
    void shouldHaveARowForEachGoal() throws IOException {
        assertThat(CallsCommand.lines("goals.csv"))
                .extracting(line -> line.comparison().id())
                .containsOnly(
                        "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12", "P13", "P14", "P15");
    }

    @Test
    void shouldMeasureThePaceBeforePacedCalls() throws IOException {
        assertThat(new Need("AERON_IPC ORDER ASYNC 128 PACED").withPace())
                .containsExactly(Need.PACE, new Need("AERON_IPC ORDER ASYNC 128 PACED"));
    }

    @Test
    void shouldSubtractFiguresAndSelectTheBetterOfTwo() {
        RoundResults results = results();

        assertThat(Figure.of(OURS.text() + "|" + THEIRS.text(), "", "P50").value(results, 1))
                .isEqualTo(8);
        assertThat(Figure.of(THEIRS.text(), OURS.text(), "P50").value(results, 1))
                .isEqualTo(4);
        assertThat(Figure.of(THEIRS.text(), "@codec", "P50").value(results, 1)).isNaN();
    }

    @Test
    void shouldComputeCpuTimeAndAllocationPerCall() {
        CsvRow row = measured("goals", OURS, 4);

        assertThat(Metric.CPU.of(row)).isCloseTo(4, within(1e-9));
        assertThat(Metric.CLIENT_BYTES.of(row)).isEqualTo(64);
        assertThat(Metric.SERVER_BYTES.of(row)).isEqualTo(32);
        assertThat(Metric.RATE.of(row)).isEqualTo(500);
    }

    @Test
    void shouldHaveEachMeasuredPeerInTheMatrixOnce() throws IOException {
        assertThat(CallsCommand.matrix())
                .doesNotHaveDuplicates()
                .extracting(Need::peer)
                .contains(Peers.VERBS, Peers.HTTP, Peers.GRPC_ASYNC);
    }

    /** The measurements in docs/lab/performance have the same columns as new ones. */
    @Test
    void shouldReportEarlierMeasurements() throws IOException {
        Path kept = Path.of("..", "docs", "lab", "performance", "measurements-callers.csv");
        Files.copy(kept, directory.resolve("measurements.csv"));

        HarnessRun run = HarnessRun.report(directory);

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.row("order, 16 outstanding, virtual threads"))
                .startsWith("| @RdmaService, virtual threads |")
                .endsWith("| 3 |");
    }
}
