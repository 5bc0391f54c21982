package io.rdmarpc.verbs.ibverbs.registration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A mapping of a file")
class FileMappingsTest {

    private static final String MOUNTS = """
            22 30 0:20 / /proc rw,relatime - proc proc rw
            30 1 0:25 / / rw,relatime shared:1 - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w
            34 24 0:31 / /dev/shm rw,nosuid shared:5 - tmpfs shm rw,inode64
            35 30 259:2 / /data\\040one rw - ext4 /dev/nvme0n1p2 rw
            36 30 0:40 / /huge rw - hugetlbfs hugetlbfs rw
            """;

    private static final long ADDRESS = 0x7f00_0000_2000L;

    @TempDir
    private Path process;

    private FileMappings mappings;

    @BeforeEach
    void writeMounts() throws IOException {
        Files.writeString(process.resolve("mountinfo"), MOUNTS);
        mappings = new FileMappings(process);
    }

    private void map(String rights, String device, String path) throws IOException {
        Files.writeString(process.resolve("maps"), """
                555555554000-555555556000 r--p 00000000 103:02 11   /usr/bin/cat
                7f0000001000-7f0000004000 %s 00000000 %s 42   %s
                7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0   [vdso]
                """.formatted(rights, device, path));
    }

    @Test
    void shouldAllowPinningOnTmpfs() throws IOException {
        map("rw-s", "00:1f", "/dev/shm/file");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).isEmpty();
    }

    @Test
    void shouldAllowPinningOnHugetlbfs() throws IOException {
        map("rw-s", "00:28", "/huge/file (deleted)");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).isEmpty();
    }

    @Test
    void shouldRejectPinningOnADisk() throws IOException {
        map("rw-s", "103:02", "/data one/file");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).contains("/data one/file on a file system of type ext4");
    }

    @Test
    @DisplayName("of an overlay may not be pinned: its device is a layer that is not mounted, so that its path decides")
    void shouldRejectPinningOnAnOverlay() throws IOException {
        map("rw-s", "00:1b", "/home/file");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).contains("/home/file on a file system of type overlay");
    }

    @Test
    @DisplayName("of an overlay is not confused with a file system whose directory has the same prefix")
    void shouldCompareWholeDirectories() throws IOException {
        map("rw-s", "00:1b", "/hugely/file");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).contains("/hugely/file on a file system of type overlay");
    }

    @Test
    void whenTheFileSystemIsUnknownThenPinningIsRejected() throws IOException {
        Files.writeString(process.resolve("mountinfo"), "");
        map("rw-s", "00:1b", "/home/file");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).contains("/home/file on a file system of type unknown");
    }

    @Test
    void shouldAllowPinningOfPrivateMappings() throws IOException {
        map("rw-p", "103:02", "/data one/file");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).isEmpty();
    }

    @Test
    void shouldAllowPinningOfMemfd() throws IOException {
        map("rw-s", "00:01", "/memfd:buffers (deleted)");

        assertThat(mappings.notPinnable(ADDRESS, 4096)).isEmpty();
    }

    @Test
    void whenThereIsNoProcThenTheKernelDecides() {
        assertThat(new FileMappings(process.resolve("nowhere")).notPinnable(ADDRESS, 4096))
                .isEmpty();
    }
}
