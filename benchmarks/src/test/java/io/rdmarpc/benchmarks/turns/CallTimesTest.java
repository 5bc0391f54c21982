package io.rdmarpc.benchmarks.turns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Times of calls")
class CallTimesTest {

    @TempDir
    private Path directory;

    private final Arena arena = Arena.ofShared();
    private CallTimes written;
    private CallTimes read;

    @BeforeEach
    void map() throws IOException {
        Path file = Files.createFile(directory.resolve("times"));
        written = CallTimes.of(arena, file);
        read = CallTimes.of(arena, file);
    }

    @AfterEach
    void unmap() {
        arena.close();
    }

    @Test
    @DisplayName("are the median of whole batches between two times")
    void shouldReturnTheMedianOfWholeBatches() {
        for (int i = 0; i <= 20; i++) {
            written.note(1_000_000 + 2_000L * i);
        }
        // One batch in the middle takes long, and one batch crosses each limit.
        written.note(5_000_000);
        for (int i = 1; i <= 20; i++) {
            written.note(5_000_000 + 2_000L * i);
        }
        assertThat(read.nanosOfABatch(1_001_000, 5_039_000)).isEqualTo(2_000.0);
    }

    @Test
    @DisplayName("are NaN if there are few batches")
    void whenThereAreFewBatchesThenTheTimeIsNaN() {
        assertThat(read.nanosOfABatch(0, Long.MAX_VALUE)).isNaN();
        for (int i = 0; i < 5; i++) {
            written.note(2_000L * i);
        }
        assertThat(read.nanosOfABatch(0, 10_000)).isNaN();
    }

    @Test
    @DisplayName("are kept for the last batches only")
    void whenTheFileIsFullThenTheOldestBatchesAreOverwritten() {
        for (int i = 0; i < 70_000; i++) {
            written.note(i < 69_000 ? 500L * i : 34_500_000 + 3_000L * (i - 69_000));
        }
        assertThat(read.nanosOfABatch(34_500_000, 40_000_000)).isEqualTo(3_000.0);
        assertThat(read.nanosOfABatch(0, 1_000)).as("long ago").isNaN();
    }
}
