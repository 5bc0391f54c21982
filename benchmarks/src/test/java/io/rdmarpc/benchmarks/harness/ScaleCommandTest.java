package io.rdmarpc.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.rdmarpc.benchmarks.peer.ScaleKind;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Very short measurements, which check that rows run, not their figures. They run only on Linux, because the processes
 * communicate over the software RNIC's shared memory.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class ScaleCommandTest {

    @TempDir
    private Path directory;

    private HarnessRun scale(String... words) {
        return HarnessRun.of(directory, "scale", words);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("processes")
    void shouldMeasureEachKindWithTwoThreads(ScaleKind kind) throws IOException {
        // Skips gRPC without epoll: it is measured with the transport that it recommends, which needs Linux.
        assumeThat(kind == ScaleKind.GRPC && !Epoll.isAvailable())
                .as("no epoll here")
                .isFalse();
        HarnessRun run = scale(
                "--threads",
                "2",
                "--only",
                kind.toString(),
                "--runs",
                "1",
                "--seconds",
                "0.05",
                "--warm-up",
                "0.1",
                "--commit",
                "abc");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(CsvRow.read(directory.resolve("scale.csv")))
                .as(run.errors())
                .singleElement()
                .satisfies(row -> assertThat(row.text("kind")).isEqualTo(kind.toString()))
                .satisfies(row -> assertThat(row.number("calls")).isPositive());
    }

    @Test
    @Tag("processes")
    void shouldCompareWithOneThread() throws IOException {
        HarnessRun run =
                scale("--threads", "2,1", "--only", "bytes", "--runs", "1", "--seconds", "0.05", "--warm-up", "0.1");

        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(CsvRow.read(directory.resolve("scale.csv")))
                .as(run.errors())
                .hasSize(2)
                .satisfiesExactly(
                        one -> assertThat(one.number("ratio")).isEqualTo(1),
                        two -> assertThat(two.number("ratio")).isPositive());
    }

    @ParameterizedTest
    @CsvSource({"1, 1 2", "2, 1 2", "4, 1 2", "8, 1 2 4", "12, 1 2 4 6", "256, 1 2 4 8 16 32 64"})
    void shouldMeasureUpToHalfOfTheProcessors(int processors, String threads) {
        assertThat(ScaleCommand.defaultThreads(processors))
                .extracting(Object::toString)
                .containsExactly(threads.split(" ", -1));
    }

    @Test
    void whenARuntimeCannotHaveSoManyThreadsThenTheyAreRejected() {
        HarnessRun run = scale("--threads", "1,65");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).startsWith("--threads is [1, 65]: each number must be 1 to 64");
    }

    @Test
    void whenNoKindMatchesThenTheKindsAreListed() {
        HarnessRun run = scale("--only", "byte");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.errors()).contains("--only byte matches no kind: choose from [bytes, nics, processes, order,");
    }
}
