package io.rdmarpc.verbs.soft.shm.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interrupted threads map files as well, because callers' threads poll. */
class SharedFileTest {

    private static final int BYTES = 8192;

    @TempDir
    private Path directory;

    private Path path;

    @BeforeEach
    void name() {
        path = directory.resolve("ring");
    }

    @AfterEach
    void takeTheInterruptBack() {
        Thread.interrupted();
    }

    @Test
    void whenTheThreadIsInterruptedThenAFileIsStillCreated() throws IOException {
        Thread.currentThread().interrupt();
        try (SharedFile made = SharedFile.create(path, BYTES)) {
            assertThat(made.memory().byteSize()).isEqualTo(BYTES);
        }
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void whenTheThreadIsInterruptedThenAFileIsStillTakenOver() throws IOException {
        try (SharedFile made = SharedFile.create(path, BYTES)) {
            made.memory().set(ValueLayout.JAVA_LONG, 0, 42);
            Thread.currentThread().interrupt();
            try (SharedFile taken = SharedFile.takeOver(path, bytes -> bytes == BYTES)) {
                assertThat(taken.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
            }
        }
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(Files.exists(path)).isFalse();
    }
}
