package io.rdmarpc.verbs.soft.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@DisplayName("Memory whose pages come when they are touched")
class AnonymousPagesTest {

    private static final int PAGE = 4096;
    private static final long BYTES = 1000L * PAGE + 10;

    /** More than anything else in this process maps or unmaps meanwhile. */
    private static final long MUCH = 1L << 31;

    private static final long HALF_OF_IT_KIBIBYTES = (MUCH / 2) >> 10;

    @Test
    @DisplayName("is zeroed, begins at a page and is as long as was asked for")
    void whenAllocatedThenAllOfItIsThere() {
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
    @DisplayName("takes a page for each that is written, and none before")
    void whenPagesAreWrittenThenOnlyTheseAreThere() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            long before = residentKibibytes();
            MemorySegment memory = AnonymousPages.allocate(arena, 256L << 20);
            long allocated = residentKibibytes();
            memory.asSlice(0, 128L << 20).fill((byte) 1);
            long written = residentKibibytes();

            assertThat(allocated - before).as("KiB more when allocated").isLessThan(64 << 10);
            assertThat(written - allocated)
                    .as("KiB more when half of it is written")
                    .isGreaterThan(100 << 10);
        }
    }

    @Test
    @DisplayName("is nobody's when its arena is closed")
    void whenTheArenaIsClosedThenItIsNotMappedAnyMore() throws IOException {
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
    @DisplayName("is not left mapped when its arena was closed before")
    void whenTheArenaIsClosedAlreadyThenNothingIsLeft() throws IOException {
        Arena closed = Arena.ofShared();
        closed.close();
        long before = mappedKibibytes();

        assertThatIllegalStateException().isThrownBy(() -> AnonymousPages.allocate(closed, MUCH));
        assertThat(mappedKibibytes() - before).isLessThan(HALF_OF_IT_KIBIBYTES);
    }

    private static long residentKibibytes() throws IOException {
        return status("VmRSS:");
    }

    private static long mappedKibibytes() throws IOException {
        return status("VmSize:");
    }

    private static long status(String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
