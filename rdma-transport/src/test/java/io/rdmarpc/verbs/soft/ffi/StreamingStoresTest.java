package io.rdmarpc.verbs.soft.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.verbs.ibverbs.ffi.CCompiler;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Streaming stores")
@Timeout(60)
class StreamingStoresTest {

    private static final int GUARD = 4096;
    private static final byte OLD = 5;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    private Path directory;

    private final Arena arena = Arena.ofShared();

    @BeforeEach
    void load() throws InterruptedException {
        LoadedStores.await();
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private MemorySegment guarded(int bytes) {
        return arena.allocate(bytes + 2 * GUARD, GUARD).fill(OLD);
    }

    private static void assertGuarded(MemorySegment memory, int bytes) {
        MemorySegment old = MemorySegment.ofArray(new byte[GUARD]).fill(OLD);
        assertThat(memory.asSlice(0, GUARD).mismatch(old)).as("in front").isEqualTo(-1);
        assertThat(memory.asSlice(GUARD + bytes).mismatch(old)).as("behind").isEqualTo(-1);
    }

    private static byte[] pattern(int bytes) {
        byte[] pattern = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            pattern[i] = (byte) (i * 31 + (i >> 8));
        }
        return pattern;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 128, 4096, (256 << 10) - 64, 256 << 10, (256 << 10) + 64, (1 << 20) + 192})
    void shouldClearTheseLinesAndNoOthers(int bytes) {
        MemorySegment memory = guarded(bytes);

        StreamingStores.clear(memory.asSlice(GUARD, bytes));

        assertThat(memory.asSlice(GUARD, bytes).mismatch(MemorySegment.ofArray(new byte[bytes])))
                .isEqualTo(-1);
        assertGuarded(memory, bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 128, 4096, (256 << 10) - 64, 256 << 10, (256 << 10) + 64, (1 << 20) + 192})
    void shouldCopyToTheseLinesAndNoOthers(int bytes) {
        byte[] pattern = pattern(bytes + 7);
        MemorySegment from = arena.allocate(bytes + 7).copyFrom(MemorySegment.ofArray(pattern));
        MemorySegment memory = guarded(bytes);

        StreamingStores.copy(from.asSlice(7).asReadOnly(), memory.asSlice(GUARD, bytes));

        assertThat(memory.asSlice(GUARD, bytes).mismatch(from.asSlice(7))).isEqualTo(-1);
        assertGuarded(memory, bytes);
    }

    @Test
    void shouldCopyFromTheHeap() {
        byte[] pattern = pattern(300_000 + 3);
        MemorySegment memory = guarded(1 << 18);

        StreamingStores.copy(MemorySegment.ofArray(pattern).asSlice(3), memory.asSlice(GUARD, 1 << 18));

        assertThat(memory.asSlice(GUARD, 1 << 18)
                        .mismatch(MemorySegment.ofArray(pattern).asSlice(3, 1 << 18)))
                .isEqualTo(-1);
        assertGuarded(memory, 1 << 18);
    }

    @Test
    void whenLinesAreNotWholeThenTheyAreRejected() {
        MemorySegment memory = guarded(1024);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> StreamingStores.clear(memory.asSlice(16, 64)))
                .withMessageContaining("whole cache lines of 64 bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> StreamingStores.clear(memory.asSlice(0, 100)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StreamingStores.copy(memory, memory.asReadOnly()))
                .withMessageContaining("whole cache lines");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StreamingStores.clear(MemorySegment.ofArray(new long[64])));
    }

    @Test
    void whenTheSourceIsShorterThenNothingIsCopied() {
        int size = 1 << 20;
        MemorySegment memory = arena.allocate(size);
        MemorySegment to = guarded(size).asSlice(GUARD, size);

        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> StreamingStores.copy(memory.asSlice(0, size - 1), to));
        assertThat(to.mismatch(guarded(size).asSlice(GUARD, size))).isEqualTo(-1);
    }

    @Test
    void whenTheMemoryIsFreedThenTheyThrow() {
        MemorySegment gone;
        try (Arena shorter = Arena.ofShared()) {
            gone = shorter.allocate(1024, 64);
        }

        assertThatIllegalStateException().isThrownBy(() -> StreamingStores.clear(gone));
        assertThatIllegalStateException()
                .isThrownBy(() -> StreamingStores.copy(gone, guarded(1024).asSlice(0, 1024)));
    }

    @Test
    @DisplayName("are the instructions of the listing in the Javadoc")
    void shouldEqualTheAssembledListing() throws IOException, InterruptedException {
        List<String> output = new CCompiler(directory).outputOf("""
                #include <stdio.h>
                extern const unsigned char clear[], copy[], end[];
                __asm__(
                    "clear: endbr64\\n pxor %xmm0, %xmm0\\n"
                    "1: movntdq %xmm0, (%rdi)\\n movntdq %xmm0, 16(%rdi)\\n"
                    "movntdq %xmm0, 32(%rdi)\\n movntdq %xmm0, 48(%rdi)\\n"
                    "add $64, %rdi\\n sub $64, %rsi\\n ja 1b\\n sfence\\n ret\\n"
                    "copy: endbr64\\n"
                    "1: movdqu (%rsi), %xmm0\\n movdqu 16(%rsi), %xmm1\\n"
                    "movdqu 32(%rsi), %xmm2\\n movdqu 48(%rsi), %xmm3\\n"
                    "movntdq %xmm0, (%rdi)\\n movntdq %xmm1, 16(%rdi)\\n"
                    "movntdq %xmm2, 32(%rdi)\\n movntdq %xmm3, 48(%rdi)\\n"
                    "add $64, %rsi\\n add $64, %rdi\\n sub $64, %rdx\\n ja 1b\\n sfence\\n ret\\n"
                    "end: nop\\n");
                static void print(const unsigned char *from, const unsigned char *to) {
                    while (from < to) printf("%02x", *from++);
                    printf("\\n");
                }
                int main(void) { print(clear, copy); print(copy, end); }
                """);

        assertThat(output)
                .containsExactly(
                        HexFormat.of().formatHex(StreamingStores.CLEAR_CODE),
                        HexFormat.of().formatHex(StreamingStores.COPY_CODE));
    }

    /** Waits for a value with a limit of its own, because the test's timeout does not stop a spinning thread. */
    private static void awaitFlag(MemorySegment flag, long value) {
        long start = System.nanoTime();
        while ((long) ValueLayout.JAVA_LONG.varHandle().getAcquire(flag, 0L) != value) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new AssertionError("the other thread did not get to " + value);
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldPublishWhatWasWrittenBeforeALaterStore() throws InterruptedException {
        MemorySegment lines = arena.allocate(1 << 16, 64);
        MemorySegment source = arena.allocate(1 << 16, 64);
        MemorySegment flag = arena.allocate(8, 64);
        int rounds = 2_000;
        int[] wrong = new int[1];
        Thread reader = Thread.ofPlatform().start(() -> {
            for (long round = 1; round <= rounds; round++) {
                awaitFlag(flag, round);
                for (long at = 0; at < lines.byteSize(); at += 8) {
                    wrong[0] += lines.get(ValueLayout.JAVA_LONG, at) == round ? 0 : 1;
                }
                ValueLayout.JAVA_LONG.varHandle().setRelease(flag, 0L, -round);
            }
        });
        for (long round = 1; round <= rounds; round++) {
            for (long at = 0; at < source.byteSize(); at += 8) {
                source.set(ValueLayout.JAVA_LONG, at, round);
            }
            StreamingStores.copy(source, lines);
            ValueLayout.JAVA_LONG.varHandle().setRelease(flag, 0L, round);
            awaitFlag(flag, -round);
        }
        reader.join();

        assertThat(wrong[0]).isZero();
    }
}
