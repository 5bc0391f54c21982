package io.rdmarpc.verbs.ibverbs.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Unavailable huge pages")
class HugePagesTest {

    @TempDir
    private Path directory;

    private HugePages pages(String memoryInfo) throws IOException {
        return new HugePages("rxe0", Files.writeString(directory.resolve("meminfo"), memoryInfo));
    }

    @Test
    void shouldReportFreePagesAndHowToReserveMore() throws IOException {
        String memoryInfo = """
                MemTotal:        4000000 kB
                HugePages_Total:       8
                HugePages_Free:        3
                Hugepagesize:       2048 kB
                """;

        assertThat(pages(memoryInfo).advice(9 << 20))
                .contains("9437184 bytes require 5 huge pages of 2048 KiB; 3 of 8 are free")
                .contains("sysctl vm.nr_hugepages=13");
    }

    @Test
    void whenTheKernelHasNoneThenZeroIsReported() throws IOException {
        assertThat(pages("MemTotal:        4000000 kB\n").advice(1))
                .contains("1 bytes require 1 huge pages of 2048 KiB; 0 of 0 are free");
    }

    @Test
    void shouldRejectAnAllocationOfZeroBytes() throws IOException {
        HugePages pages = pages("");
        try (Arena arena = Arena.ofConfined()) {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> pages.allocate(arena, 0))
                    .withMessageContaining("0 bytes were requested");
        }
    }

    @Test
    @DisplayName("are rejected by the kernel: more than any machine has")
    void whenThereAreTooFewPagesThenAllocationFails() throws IOException {
        HugePages pages = pages("HugePages_Total: 0\nHugepagesize: 2048 kB\n");
        try (Arena arena = Arena.ofConfined()) {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> pages.allocate(arena, 1L << 45))
                    .withMessageContaining("mmap(MAP_HUGETLB) on rxe0 failed")
                    .withMessageContaining("huge pages of 2048 KiB");
        }
    }
}
