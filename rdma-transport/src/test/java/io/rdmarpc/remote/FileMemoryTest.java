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
@DisplayName("A file for a device of a kernel that pins no read-only mapping")
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

    /** Refuses what Linux before 6.2 refuses: shared mappings without the right to write, whatever is asked for. */
    private LocalRegion register(MemorySegment memory, AccessFlag... rights) {
        if (protection(memory).startsWith("r--s")) {
            throw new RdmaVerbsException(
                    "ibv_reg_mr", "rxe0", Errno.EFAULT, "It is mapped without the rights asked for.");
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
            "is granted for reading as it is now, not as it was: the mapping is shared, and nobody here can write it")
    void whenAReadOnlyMappingIsRefusedThenAWritableOneIsRead() throws IOException {
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
    @DisplayName("is refused with reason FILE and the kernel's part in it, when it may not be opened for writing")
    void whenTheFileMayNotBeOpenedForWritingThenItIsRefused() {
        // Nobody opens a program that is running for writing, not even root.
        Path running = Path.of(ProcessHandle.current().info().command().orElseThrow());
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> FileMemory.map(this::register, running, false))
                .withMessageContainingAll("Linux before 6.2", System.getProperty("os.version"), running.toString())
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.FILE));
    }

    @Test
    @DisplayName("is not tried twice when the device has another reason")
    void whenTheDeviceHasAnotherReasonThenItIsTold() throws IOException {
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
