package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.peer.ScaleKind;
import io.rdmarpc.benchmarks.scale.ScaleRun;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.awt.GraphicsEnvironment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Table and plot of calls by threads")
class ScaleTableTest {

    @TempDir
    private Path directory;

    private final List<CsvRow> measurements = List.of(
            measured(ScaleKind.ORDER, 2, 1, 30, Double.NaN),
            measured(ScaleKind.BYTES, 1, 1, 100, 1),
            measured(ScaleKind.BYTES, 2, 1, 150, 1.5),
            measured(ScaleKind.BYTES, 1, 2, 120, 1),
            measured(ScaleKind.BYTES, 2, 2, 240, 2),
            measured(ScaleKind.NICS, 1, 1, 80, 1));

    private static CsvRow measured(ScaleKind kind, int threads, int run, long perSecond, double ratio) {
        BenchmarkOutcome outcome = new BenchmarkOutcome(
                2 * perSecond, 2, Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), 3_000L));
        BenchmarkMeasurement measurement = new BenchmarkMeasurement(
                outcome, new BenchmarkCounters(1_500_000_000, 0, 4, 30), new BenchmarkCounters(500_000_000, 0, 2, 10));
        return ScaleTable.row(kind, threads, run, new ScaleRun.Result(measurement, true, 7), ratio);
    }

    @Test
    void shouldShowMediansOverTheRuns() {
        assertThat(new ScaleTable(measurements).toString())
                .contains("| bytes | 2 | 195 [150-240] | 1.75 | 3.00 | 3.00 | 3.00 | 1.50 | 0.50 |")
                .contains("| 6.00 | 2.00 | 7 % | 2 |");
    }

    @Test
    void whenOneThreadWasNotMeasuredThenThereIsNoRatio() {
        assertThat(new ScaleTable(measurements).toString()).contains("| order | 2 | 30.0 [30.0-30.0] | - |");
    }

    @Test
    void shouldDescribeTheMeasuredKindsOnly() {
        assertThat(new ScaleTable(measurements).toString())
                .contains("- `bytes`: ", "- `nics`: ", "- `order`: ")
                .doesNotContain("- `grpc`: ");
    }

    @Test
    void whenNothingWasMeasuredThenThereIsNoSection() {
        assertThat(new ScaleTable(List.of()).toString()).isEmpty();
    }

    @Test
    void shouldDrawTheIdealLineOfTheFirstKindWithOneThread() {
        assertThat(new ScalePlot(measurements, directory).ideals())
                .isEqualTo(Map.of("ideal: N times bytes of one", Map.of(1, 110.0, 2, 220.0)));
    }

    @Test
    void shouldBeDrawn() throws IOException {
        System.setProperty("java.awt.headless", "true");
        // Skipped on a machine without fonts, because Java cannot draw text there and Report then omits the plots.
        assumeThat(GraphicsEnvironment.getLocalGraphicsEnvironment().getAllFonts())
                .as("fonts of this machine")
                .isNotEmpty();

        new ScalePlot(measurements, directory).write();

        assertThat(directory.resolve("scale.png")).isNotEmptyFile();
    }
}
