package io.rdmarpc.verbs.soft.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@DisplayName("Memory whose pages are allocated at the first access")
class AnonymousPagesTest {

    private static final int PAGE = 4096;
    private static final long BYTES = 1000L * PAGE + 10;

    /** Larger than all that this process maps or unmaps at the same time. */
    private static final long MUCH = 1L << 31;

    private static final long HALF_OF_IT_KIBIBYTES = (MUCH / 2) >> 10;

    @Test
    @DisplayName("is zeroed, page-aligned and has the requested length")
    void whenAllocatedThenItIsZeroedAndAligned() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = AnonymousPages.allocate(arena, BYTES);

            assertThat(memory.byteSize()).isEqualTo(BYTES);
            assertThat(memory.address() % PAGE).isZero();
            memory.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
            assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) BYTES])))
                    .isEqualTo(BYTES - 1);
        }
    }

    @Test
    @DisplayName("uses one page for each written page, and none before")
    void whenPagesAreWrittenThenOnlyTheseAreResident() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = AnonymousPages.allocate(arena, 256L << 20);
            long allocated = residentPages(memory);
            memory.asSlice(0, 128L << 20).fill((byte) 1);
            long written = residentPages(memory);

            assertThat(allocated).as("pages when allocated").isZero();
            // If huge pages are always enabled, the last written page may be one of 2 MiB.
            assertThat(written)
                    .as("pages when half of them are written")
                    .isBetween((128L << 20) / PAGE, (130L << 20) / PAGE);
        }
    }

    @Test
    @DisplayName("is unmapped when its arena is closed")
    void whenTheArenaIsClosedThenItIsUnmapped() throws IOException {
        long before = mappedKibibytes();
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = AnonymousPages.allocate(arena, MUCH);
            assertThat(mappedKibibytes() - before).isGreaterThan(HALF_OF_IT_KIBIBYTES);
        }

        assertThatIllegalStateException().isThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0));
        assertThat(mappedKibibytes() - before).isLessThan(HALF_OF_IT_KIBIBYTES);
    }

    @Test
    @DisplayName("is not left mapped if its arena was closed before")
    void whenTheArenaIsClosedAlreadyThenNothingIsLeft() throws IOException {
        Arena closed = Arena.ofShared();
        closed.close();
        long before = mappedKibibytes();

        assertThatIllegalStateException().isThrownBy(() -> AnonymousPages.allocate(closed, MUCH));
        assertThat(mappedKibibytes() - before).isLessThan(HALF_OF_IT_KIBIBYTES);
    }

    /**
     * Returns how many pages of the memory are resident. The numbers of the whole process are not usable, because its
     * heap grows and shrinks in the meantime.
     */
    private static long residentPages(MemorySegment memory) throws IOException {
        ByteBuffer entries = ByteBuffer.allocate((int) (memory.byteSize() / PAGE * Long.BYTES))
                .order(ByteOrder.nativeOrder());
        try (FileChannel pagemap = FileChannel.open(Path.of("/proc/self/pagemap"))) {
            long position = memory.address() / PAGE * Long.BYTES;
            while (entries.hasRemaining()) {
                int read = pagemap.read(entries, position + entries.position());
                assertThat(read).as("bytes read from pagemap").isPositive();
            }
        }
        entries.flip();
        long present = 0;
        while (entries.hasRemaining()) {
            // Bits 63 and 62 of an entry: present in memory, and swapped out.
            present += (entries.getLong() >>> 62) == 0 ? 0 : 1;
        }
        return present;
    }

    private static long mappedKibibytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmSize:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
