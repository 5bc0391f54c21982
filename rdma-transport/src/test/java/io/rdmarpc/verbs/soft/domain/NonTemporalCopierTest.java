package io.rdmarpc.verbs.soft.domain;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.soft.ffi.LoadedStores;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Cache lines that a peer has read and that are rewritten")
@Timeout(60)
class NonTemporalCopierTest {

    private static final int MANY = 100_000;
    private static final byte OLD = 5;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(1 << 20, 64).fill(OLD);

    private long lookNanos;
    private long now;
    private int clockReads;

    /** Each measurement takes the time that the test sets. */
    private final NonTemporalCopier lines = new NonTemporalCopier(() -> {
        clockReads++;
        return now += lookNanos;
    });

    @BeforeEach
    void load() throws InterruptedException {
        LoadedStores.await();
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private void far() {
        lookNanos = NonTemporalCopier.FAR_NANOS + 1;
    }

    private void near() {
        lookNanos = NonTemporalCopier.FAR_NANOS;
    }

    /** Returns the range of changed bytes, {@code "none"} if there are none. */
    private String changed() {
        long first = -1;
        long last = -1;
        for (long at = 0; at < memory.byteSize(); at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != OLD) {
                first = first < 0 ? at : first;
                last = at;
            }
        }
        return first < 0 ? "none" : first + " to " + last;
    }

    @Test
    void whenTheyAreFarThenAllAreCleared() {
        far();

        lines.prepare(memory.asSlice(0, 1 << 16));

        assertThat(changed()).isEqualTo("0 to " + ((1 << 16) - 1));
    }

    @Test
    void whenTheyAreNearThenOnlyTheMeasurementWrites() {
        near();

        lines.prepare(memory.asSlice(0, 1 << 16));

        assertThat(changed()).isEqualTo("0 to " + (NonTemporalCopier.MEASURED_BYTES - 1));
    }

    @Test
    void whenThePartIsUnalignedThenItsWholeLinesAreCleared() {
        far();

        lines.prepare(memory.asSlice(100, MANY));

        assertThat(changed()).isEqualTo("128 to " + (((100 + MANY) & -64) - 1));
    }

    @Test
    void whenTheyAreFewThenNothingIsDone() {
        far();

        lines.prepare(memory.asSlice(0, NonTemporalCopier.MIN_BYTES - 1));
        lines.prepare(memory.asSlice(1, NonTemporalCopier.MIN_BYTES));
        lines.prepare(memory.asSlice(0, 0));
        lines.prepare(memory.asSlice(63, 0));

        assertThat(changed()).isEqualTo("none");
        assertThat(clockReads).isZero();
    }

    @Test
    void shouldMeasureAgainAfterANumberOfBytes() {
        near();
        int part = NonTemporalCopier.MEASUREMENT_VALID_BYTES / 4;
        for (int i = 0; i < 4; i++) {
            lines.prepare(memory.asSlice(0, part));
        }
        assertThat(clockReads).as("two for each measurement").isEqualTo(2);

        far();
        lines.prepare(memory.asSlice(0, part));

        assertThat(clockReads).isEqualTo(4);
        assertThat(changed()).isEqualTo("0 to " + (part - 1));
    }

    @ParameterizedTest
    @CsvSource({
        "far, 0, 0, 1048576",
        "far, 0, 0, 16384",
        "far, 0, 0, 16383",
        "far, 0, 0, 0",
        "far, 3, 0, 65536",
        "far, 0, 1, 65536",
        "far, 5, 63, 65537",
        "far, 1, 17, 16448",
        "near, 0, 0, 1048576",
        "near, 5, 63, 65537",
    })
    void shouldCopyTheseBytesAndNoOthers(String how, int from, int to, int bytes) {
        if (how.equals("far")) {
            far();
        } else {
            near();
        }
        byte[] source = new byte[from + bytes];
        for (int i = 0; i < source.length; i++) {
            source[i] = (byte) (i % 113 + 10);
        }
        MemorySegment begin = MemorySegment.ofArray(source).asSlice(from);

        lines.copy(begin, memory.asSlice(to, bytes));

        assertThat(memory.asSlice(to, bytes).mismatch(begin)).isEqualTo(-1);
        assertThat(changed()).isEqualTo(bytes == 0 ? "none" : to + " to " + (to + bytes - 1));
    }
}
