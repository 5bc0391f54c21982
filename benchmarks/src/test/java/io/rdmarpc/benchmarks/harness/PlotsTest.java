package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.benchmarks.harness.Plots.Line;
import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
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

@DisplayName("A plot")
class PlotsTest {

    @TempDir
    private Path directory;

    private final List<CsvRow> measurements = List.of(
            measured(Peers.GRPC_BLOCKING, Callers.PLATFORM, 1, 7),
            measured(Peers.GRPC_BLOCKING, Callers.PLATFORM, 16, 10),
            measured(Peers.GRPC_BLOCKING, Callers.VIRTUAL, 16, 100),
            measured(Peers.AERON_IPC, Callers.PLATFORM, 1, 50),
            measured(Peers.AERON_IPC, Callers.ASYNC, 128, 500));

    private static CsvRow measured(Peers peer, Callers callers, int outstanding, long perSecond) {
        BenchmarkOutcome outcome =
                new BenchmarkOutcome(perSecond, 1, Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), 1_000L));
        BenchmarkCounters counters = new BenchmarkCounters(1_000, 0, 0, 0);
        return MeasurementsTable.row(
                "goals",
                1,
                new Need(peer.name() + " ORDER " + callers.name() + " " + outstanding),
                new BenchmarkMeasurement(outcome, counters, counters),
                0);
    }

    @Test
    void shouldHaveALineForEachKindOfCallers() {
        Map<Line, ?> lines = new Plots(measurements, directory).rateLines(Payload.ORDER);

        assertThat(lines.get(new Line(Peers.GRPC_BLOCKING, Callers.PLATFORM))).isEqualTo(Map.of(1, 7.0, 16, 10.0));
        assertThat(lines.get(new Line(Peers.GRPC_BLOCKING, Callers.VIRTUAL))).isEqualTo(Map.of(1, 7.0, 16, 100.0));
    }

    @Test
    void whenAKindHasOnePointThenItHasNoLine() {
        assertThat(new Plots(measurements, directory).rateLines(Payload.ORDER).keySet())
                .extracting(Line::peer)
                .containsOnly(Peers.GRPC_BLOCKING);
    }

    @Test
    void shouldBeWrittenForMeasuredPayloads() throws IOException {
        System.setProperty("java.awt.headless", "true");
        // Skipped on a machine without fonts, because Java cannot draw text there and Report then omits the plots.
        assumeThat(GraphicsEnvironment.getLocalGraphicsEnvironment().getAllFonts())
                .as("fonts of this machine")
                .isNotEmpty();

        new Plots(measurements, directory).write();

        assertThat(directory.resolve("latency-ORDER.png")).isNotEmptyFile();
        assertThat(directory.resolve("rate-ORDER.png")).isNotEmptyFile();
        assertThat(directory.resolve("cpu-ORDER.png")).isNotEmptyFile();
        assertThat(directory.resolve("rate-B32.png")).doesNotExist();
    }
}
