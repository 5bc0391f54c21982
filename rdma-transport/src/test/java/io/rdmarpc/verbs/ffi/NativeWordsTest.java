package io.rdmarpc.verbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Numbers at addresses")
class NativeWordsTest {

    private static final int MARGIN = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(2 * MARGIN + 5000);

    @BeforeAll
    static void testsRunWithNativeAccess() {
        assertThat(NativeWords.isGranted()).isEqualTo(NativeAccess.isGranted());
    }

    @Test
    @DisplayName("are the bytes of the segment, little-endian, at any offset")
    void shouldReadAndWriteTheBytesOfTheSegment() {
        long at = memory.address() + 3;
        NativeWords.setLong(at, 0x0102_0304_0506_0708L);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 8);
        assertThat(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 3)).isEqualTo(NativeWords.getLong(at));

        NativeWords.setInt(at, -2);
        assertThat(NativeWords.getInt(at)).isEqualTo(-2);
        assertThat(NativeWords.getLong(at)).isEqualTo(0x0102_0304_FFFF_FFFEL);
    }

    @Test
    @DisplayName("are copied exactly, for any length")
    void shouldCopyExactly() {
        IntStream.rangeClosed(0, 300).forEach(this::copyExactly);
        copyExactly(4096);
    }

    private void copyExactly(int bytes) {
        byte[] wanted = new byte[bytes];
        new Random(bytes).nextBytes(wanted);
        MemorySegment source = Arena.ofAuto().allocate(Math.max(1, bytes));
        MemorySegment.copy(wanted, 0, source, ValueLayout.JAVA_BYTE, 0, bytes);
        memory.fill((byte) 0x55);

        NativeWords.copy(source.address(), memory.address() + MARGIN, bytes);

        assertThat(memory.asSlice(MARGIN, bytes).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(wanted);
        assertThat(memory.asSlice(0, MARGIN).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x55);
        assertThat(memory.asSlice(MARGIN + bytes, MARGIN).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(0x55);
    }
}
