package io.rdmarpc.benchmarks.goals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The report")
class ReportTest {

    private static final Task TASK = Task.of(Payload.ORDER, Callers.PLATFORM, 1);

    @TempDir
    private Path directory;

    private static BenchmarkMeasurement measurement(long micros) {
        List<Long> nanos = Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), micros * 1_000);
        return new BenchmarkMeasurement(
                new BenchmarkOutcome(1_000, 2, nanos),
                new BenchmarkCounters(3_000_000, 64_000, 0, 0),
                new BenchmarkCounters(1_000_000, 32_000, 0, 0));
    }

    private static Results results() {
        Results results = new Results(1);
        results.add(new Results.Sample(new Need.Calls(Peers.SPRING_INLINE, TASK), 0, measurement(4), 1.5));
        results.add(new Results.Sample(new Need.Calls(Peers.AERON_IPC, TASK), 0, measurement(8), 1.5));
        return results;
    }

    private static List<Goal> goals() {
        return Goals.all().stream()
                .filter(goal -> goal.needs().stream()
                        .allMatch(need -> need.equals(new Need.Calls(Peers.SPRING_INLINE, TASK))
                                || need.equals(new Need.Calls(Peers.AERON_IPC, TASK))))
                .toList();
    }

    @Test
    void scoresAndListsWhatWasMeasured() throws IOException {
        new Report(results(), new Results(0), goals(), "- here\n").write(directory);

        assertThat(directory.resolve("report.md"))
                .content()
                .contains("- here", "| P1 |", "0.50 [0.50-0.50] | ratio <= 0.80 | met |", "Aeron IPC, stock Kryo");
        assertThat(Files.readAllLines(directory.resolve("measurements.csv")))
                .hasSize(3)
                .allMatch(line -> line.split(",", -1).length == 18 + BenchmarkOutcome.PERCENTILES.size());
    }

    @Test
    void whenTheMatrixHoldsTheSameCallsThenGoalsAreStillScoredByTheirOwn() throws IOException {
        Results matrix = new Results(1);
        matrix.add(new Results.Sample(new Need.Calls(Peers.SPRING_INLINE, TASK), 0, measurement(400), 0));

        new Report(results(), matrix, goals(), "- here\n").write(directory);

        assertThat(directory.resolve("report.md"))
                .content()
                .contains("0.50 [0.50-0.50] | ratio <= 0.80 | met |", "## Every payload with everyone", "| 400 |");
        assertThat(Files.readAllLines(directory.resolve("measurements.csv")))
                .filteredOn(line -> line.contains(Peers.SPRING_INLINE.name()))
                .extracting(line -> line.substring(0, line.indexOf(',')))
                .containsExactly("goals", "matrix");
    }

    @Test
    void whenTheSameIsMeasuredTwiceInARoundThenRefuses() {
        Results results = results();
        Results.Sample again = new Results.Sample(new Need.Calls(Peers.AERON_IPC, TASK), 0, measurement(9), 0);

        assertThatThrownBy(() -> results.add(again)).hasMessageContaining("in round 1 already");
    }

    @Test
    void needsNoMeasurementInTwoGroups() {
        Map<Need, Set<String>> groups = new HashMap<>();
        Goals.all()
                .forEach(goal -> goal.needs()
                        .forEach(need -> groups.computeIfAbsent(need, each -> new TreeSet<>())
                                .add(goal.group())));

        assertThat(groups.values()).allMatch(each -> each.size() == 1);
    }

    @Test
    void eachRowTellsApiAndDispatchAndWhoPolls() {
        assertThat(Goals.all())
                .extracting(goal -> goal.ours().mode())
                .allMatch(mode -> mode.split("; ", -1).length == 3)
                .allMatch(mode -> !mode.contains("null"));
    }

    @Test
    void whenNobodyLookedAtOtherProgramsThenSaysNothingOfThem() {
        Goal goal = Goals.all().stream()
                .filter(each -> each.id().equals("P13"))
                .findFirst()
                .orElseThrow();

        assertThat(goal.row(results())).endsWith("| not measured | - |");
    }

    @Test
    void tellsOfOtherProgramsBesideAProgramToo() {
        Figure probe = Goals.machine().getFirst();
        Results results = new Results(1);
        probe.needs().forEach(need -> results.add((Need.Program) need, 0, 0.25, 7));

        assertThat(new Report(results, new Results(0), List.of(), "").markdown())
                .contains("| " + probe.label() + " | 0.50 [0.50-0.50] us | 7 % |");
    }

    @Test
    void hasARowForEachGoalOfCallsBetweenProcesses() {
        Set<String> numbers = Goals.all().stream().map(Goal::id).collect(Collectors.toCollection(TreeSet::new));

        assertThat(numbers)
                .containsExactlyInAnyOrder(
                        "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12", "P13", "P14", "P15");
    }

    @Test
    void computesProcessorTimeAndAllocationOfACall() {
        BenchmarkMeasurement measured = measurement(4);

        assertThat(measured.cpuSecondsPerMillion()).isEqualTo(4);
        assertThat(measured.clientBytesPerCall()).isEqualTo(64);
        assertThat(measured.serverBytesPerCall()).isEqualTo(32);
        assertThat(Metric.RATE.of(measured)).isEqualTo(500);
    }
}
