package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.RdmaNode;
import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@EnabledOnOs(OS.LINUX)
@DisplayName("A file on a kernel that does not pin read-only mappings")
class FileMemoryTest {

    private static final byte[] CONTENT = RemoteMemoryFixture.pattern(70_000, 4);

    private RdmaNode node;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() {
        node = RdmaNode.open(
                RdmaNodeConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    }

    @AfterEach
    void close() {
        node.close();
    }

    /**
     * Rejects what Linux before 6.2 rejects: shared mappings without write permission, regardless of the access flags.
     */
    private LocalRegion register(MemorySegment memory, AccessFlag... rights) {
        if (protection(memory).startsWith("r--s")) {
            throw new RdmaVerbsException("ibv_reg_mr", "rxe0", Errno.EFAULT, "The mapping is read-only.");
        }
        return node.register(memory, rights);
    }

    private static String protection(MemorySegment memory) {
        String start = Long.toHexString(memory.address()) + "-";
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.filter(mapping -> mapping.startsWith(start))
                    .map(mapping -> mapping.split(" ", -1)[1])
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName(
            "is registered through a shared writable mapping: peers see later changes, and its segment is read-only")
    void whenAReadOnlyMappingIsRejectedThenAWritableOneIsUsed() throws IOException {
        Path file = Files.write(directory.resolve("data"), CONTENT);
        try (LocalRegion region = FileMemory.map(this::register, file, false)) {
            byte[] changed = CONTENT.clone();
            changed[69_999]++;
            Files.write(file, changed, StandardOpenOption.WRITE);
            assertThat(region.slice().toBytes()).isEqualTo(changed);
            assertThat(region.slice().writable().isReadOnly()).isTrue();
            assertThat(region.rights()).isEmpty();
        }
        assertThat(Files.size(file)).isEqualTo(CONTENT.length);
    }

    @Test
    @DisplayName("fails with reason FILE and the kernel version if it may not be opened for writing")
    void whenTheFileMayNotBeOpenedForWritingThenItIsRejected() {
        // No process can open a running program for writing, not even root (ETXTBSY).
        Path running = Path.of(ProcessHandle.current().info().command().orElseThrow());
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> FileMemory.map(this::register, running, false))
                .withMessageContainingAll("Linux before 6.2", System.getProperty("os.version"), running.toString())
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.FILE));
    }

    @Test
    @DisplayName("is not mapped again after another failure of the device")
    void whenTheDeviceFailsForAnotherReasonThenItIsReported() throws IOException {
        Path file = Files.write(directory.resolve("data"), CONTENT);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> FileMemory.map(
                        (memory, _) -> {
                            throw new RdmaVerbsException("ibv_reg_mr", "rxe0", Errno.ENOMEM, protection(memory));
                        },
                        file,
                        false))
                .withMessageContaining("r--s");
    }
}
