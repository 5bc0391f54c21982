package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@Tag("rdma-device")
@EnabledIf("io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere")
@Timeout(120)
@DisplayName("Registration of memory with a device")
class RegistrationDeviceTest {

    private static final int PAGE = 4096;
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final String TEXT = "registered once, read by a peer";

    private final DeviceFixture fixture = new DeviceFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private MemoryRegion register(MemorySegment memory, AccessFlag... access) {
        return fixture.domain.registerMemory(memory, Set.of(access));
    }

    private MemorySegment memory(long bytes) {
        return fixture.arena.allocate(bytes, PAGE);
    }

    /** Executes one READ or WRITE of a peer and returns its status. */
    private String transfer(int opcode, MemoryRegion local, long remoteAddress, int rkey) {
        QueuePair peer = fixture.create(QueuePairType.RC);
        fixture.connect(peer, fixture.create(QueuePairType.RC));
        SendRequests request = SendRequests.allocate(fixture.arena, 1, 1);
        request.set(0, 7, opcode, SendFlags.SIGNALED, 1);
        request.setSge(0, 0, local.address(), (int) local.byteSize(), local.lkey());
        request.setRemote(0, remoteAddress, rkey);
        request.chain(0, 1);
        assertThat(peer.postSend(request, 0)).isZero();
        fixture.await(1);
        return CompletionStatus.describe(fixture.completions.status(0));
    }

    /** Returns the text that a peer reads at the beginning of a region. */
    private String read(MemoryRegion source, int bytes) {
        MemoryRegion sink = fixture.register(bytes, AccessFlag.LOCAL_WRITE);
        assertThat(transfer(SendOpcode.RDMA_READ, sink, source.address(), source.rkey()))
                .isEqualTo(CompletionStatus.describe(CompletionStatus.SUCCESS));
        return sink.segment().getString(0);
    }

    private static void assertRejected(ThrowingCallable action, int errno, String... words) {
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(action).satisfies(rejection -> {
            assertThat(rejection).message().contains(words);
            assertThat(rejection.errno()).isEqualTo(errno);
        });
    }

    @Nested
    @DisplayName("rights")
    class Rights {

        @Test
        @DisplayName("none by default, so that a peer has no access")
        void shouldGrantNoRightsByDefault() {
            MemoryRegion source = fixture.domain.registerMemory(memory(PAGE));
            MemoryRegion sink = fixture.register(64, AccessFlag.LOCAL_WRITE);

            assertThat(source.access()).isEmpty();
            assertThat(transfer(SendOpcode.RDMA_READ, sink, source.address(), source.lkey()))
                    .isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
        }

        @Test
        @DisplayName("READ only, so that a WRITE fails and changes nothing")
        void shouldGrantReadOnly() {
            MemoryRegion target = register(memory(PAGE), AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE);
            MemoryRegion source = fixture.register(64);
            source.segment().setString(0, TEXT);

            assertThat(transfer(SendOpcode.RDMA_WRITE, source, target.address(), target.rkey()))
                    .isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
            assertThat(target.segment().getString(0)).isEmpty();
        }

        @Test
        void shouldAcceptRelaxedOrdering() {
            MemoryRegion source = register(memory(PAGE), AccessFlag.REMOTE_READ, AccessFlag.RELAXED_ORDERING);
            source.segment().setString(0, TEXT);

            assertThat(read(source, 64)).isEqualTo(TEXT);
        }

        @Test
        @DisplayName("addressed from 0 by peers and by local requests")
        void shouldRegisterZeroBasedMemory() {
            MemoryRegion source = register(memory(PAGE), AccessFlag.REMOTE_READ, AccessFlag.ZERO_BASED);
            MemoryRegion sink = register(memory(64), AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED);
            source.segment().setString(0, TEXT);

            assertThat(source.address()).isZero();
            assertThat(source.addressOf(8, PAGE - 8)).isEqualTo(8);
            assertThat(transfer(SendOpcode.RDMA_READ, sink, 0, source.rkey()))
                    .isEqualTo(CompletionStatus.describe(CompletionStatus.SUCCESS));
            assertThat(sink.segment().getString(0)).isEqualTo(TEXT);
        }

        @Test
        void shouldRejectZeroBasedMemoryInTheMiddleOfAPage() {
            MemorySegment middle = memory(PAGE).asSlice(100);

            assertRejected(() -> register(middle, AccessFlag.ZERO_BASED), Errno.EINVAL, "begins at a page");
        }

        @Test
        void whenTheHardwareLacksOnDemandPagingThenItIsRejected() {
            assertRejected(
                    () -> register(memory(PAGE), AccessFlag.ON_DEMAND),
                    Errno.EINVAL,
                    "4096 bytes at 0x",
                    "[ON_DEMAND]",
                    "no on-demand paging",
                    "omit ON_DEMAND");
        }

        @Test
        void shouldRejectWriteRightsOnReadOnlyMemory() {
            assertRejected(
                    () -> register(memory(PAGE).asReadOnly(), AccessFlag.LOCAL_WRITE),
                    Errno.EACCES,
                    "[LOCAL_WRITE] was requested for a read-only segment");
        }
    }

    @Nested
    @DisplayName("rejections")
    class Rejections {

        @Test
        void shouldRejectMemoryOfAClosedArena() {
            Arena arena = Arena.ofShared();
            MemorySegment gone = arena.allocate(PAGE);
            arena.close();

            assertRejected(() -> register(gone), Errno.EFAULT, "The arena of the 4096 bytes is closed");
        }

        @Test
        void shouldRejectHeapMemory() {
            assertRejected(() -> register(MemorySegment.ofArray(new byte[8])), Errno.EFAULT, "8 bytes of heap memory");
        }

        @Test
        void shouldRejectEmptyMemory() {
            assertRejected(() -> register(memory(PAGE).asSlice(0, 0)), Errno.EFAULT, "0 bytes of native memory");
        }

        @Test
        @DisplayName("a part beyond the region's end")
        void shouldRejectAPartBeyondTheEnd() {
            MemoryRegion region = fixture.register(PAGE);

            assertThat(region.addressOf(PAGE - 1, 1)).isEqualTo(region.address() + PAGE - 1);
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.addressOf(PAGE - 1, 2));
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.addressOf(-1, 1));
        }

        @Test
        @DisplayName("reregistration: the device does not support it, and the region stays usable")
        void whenTheDeviceCannotReregisterThenTheRegionStaysUsable() {
            MemoryRegion source = register(memory(PAGE), AccessFlag.REMOTE_READ);
            source.segment().setString(0, TEXT);

            assertRejected(
                    () -> source.reregister(memory(2 * PAGE), Set.of(AccessFlag.REMOTE_READ)),
                    Errno.EOPNOTSUPP,
                    "ibv_rereg_mr on " + fixture.context.deviceName(),
                    "The region is unchanged");
            assertThat(source.byteSize()).isEqualTo(PAGE);
            assertThat(read(source, 64)).isEqualTo(TEXT);
        }

        @Test
        @DisplayName("the memory of another device: not supported by this one")
        void whenTheDeviceHasNoDmaBufThenRegistrationFails() {
            assertRejected(
                    () -> fixture.domain.registerDmaBuf(0, 0, PAGE, 0, Set.of()),
                    Errno.EOPNOTSUPP,
                    "4096 bytes at offset 0 of dma-buf 0",
                    "not supported by this device");
            assertRejected(() -> fixture.domain.registerDmaBuf(-1, 0, PAGE, 0, Set.of()), Errno.EBADF, "-1 is invalid");
            assertRejected(() -> fixture.domain.registerDmaBuf(0, 0, 0, 0, Set.of()), Errno.EINVAL, "at least 1 byte");
        }
    }

    @Nested
    @DisplayName("mapped files")
    class MappedFiles {

        @TempDir
        private Path onDisk;

        private void mapped(Path directory, Consumer<MemorySegment> use) throws IOException {
            Path file = Files.createTempFile(directory, "rdma-", ".data");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    Arena arena = Arena.ofShared()) {
                use.accept(channel.map(MapMode.READ_WRITE, 0, PAGE, arena));
            } finally {
                Files.delete(file);
            }
        }

        private void readByAPeer(MemorySegment mapping) {
            mapping.setString(0, TEXT);
            try (MemoryRegion source = register(mapping, AccessFlag.REMOTE_READ)) {
                assertThat(read(source, 64)).isEqualTo(TEXT);
            }
        }

        @Test
        void shouldLetAPeerReadAFileOfAnyFileSystem() throws IOException {
            mapped(onDisk, this::readByAPeer);
        }

        @Test
        void shouldLetAPeerReadAFileOnTmpfs() throws IOException {
            mapped(IN_MEMORY, this::readByAPeer);
        }

        @Test
        @DisplayName("a read-only mapping: since Linux 6.2; before, the exception says how to map the file")
        void shouldRegisterAReadOnlyMapping() throws IOException {
            Path file = Files.createTempFile(IN_MEMORY, "rdma-", ".data");
            Files.write(file, Arrays.copyOf(TEXT.getBytes(StandardCharsets.UTF_8), PAGE));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                    Arena arena = Arena.ofShared()) {
                MemorySegment mapping = channel.map(MapMode.READ_ONLY, 0, PAGE, arena);
                if (linuxIsBefore62()) {
                    assertRejected(
                            () -> register(mapping, AccessFlag.REMOTE_READ),
                            Errno.EFAULT,
                            "Linux before 6.2 pins no read-only mapping of a file: map it READ_WRITE");
                } else {
                    try (MemoryRegion source = register(mapping, AccessFlag.REMOTE_READ)) {
                        assertThat(read(source, 64)).isEqualTo(TEXT);
                    }
                }
            } finally {
                Files.delete(file);
            }
        }

        private boolean linuxIsBefore62() {
            Runtime.Version release =
                    Runtime.Version.parse(System.getProperty("os.version").replaceFirst("^(\\d+\\.\\d+).*", "$1"));
            return release.compareTo(Runtime.Version.parse("6.2")) < 0;
        }

        @Test
        @DisplayName("on tmpfs, into which a peer writes")
        void shouldLetAPeerWriteAFileOnTmpfs() throws IOException {
            Path file = Files.createTempFile(IN_MEMORY, "rdma-", ".data");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    Arena arena = Arena.ofShared();
                    MemoryRegion target = register(
                            channel.map(MapMode.READ_WRITE, 0, PAGE, arena),
                            AccessFlag.LOCAL_WRITE,
                            AccessFlag.REMOTE_WRITE)) {
                MemoryRegion source = fixture.register(64);
                source.segment().setString(0, TEXT);

                assertThat(transfer(SendOpcode.RDMA_WRITE, source, target.address(), target.rkey()))
                        .isEqualTo(CompletionStatus.describe(CompletionStatus.SUCCESS));
                assertThat(Files.readString(file)).startsWith(TEXT);
            } finally {
                Files.delete(file);
            }
        }

        @Test
        @DisplayName("on an ordinary file system: rights to write are rejected")
        void shouldRejectWriteRightsForAFileOnDisk() throws IOException {
            mapped(
                    onDisk,
                    mapping -> assertRejected(
                            () -> register(mapping, AccessFlag.LOCAL_WRITE),
                            Errno.EOPNOTSUPP,
                            "[LOCAL_WRITE] was requested for 4096 bytes of " + onDisk,
                            "on a file system of type ",
                            "/dev/shm"));
        }
    }

    @Test
    @DisplayName("on huge pages, if the administrator has reserved some")
    void shouldRegisterHugePages() throws IOException {
        int before = setHugePages(0);
        try (Arena arena = Arena.ofShared()) {
            assertRejected(
                    () -> fixture.context.allocateHugePages(arena, 1 << 20),
                    Errno.ENOMEM,
                    "1048576 bytes require 1 huge pages",
                    "0 of 0 are free",
                    "vm.nr_hugepages=1");
            setHugePages(8);
            MemorySegment huge = fixture.context.allocateHugePages(arena, 5 << 20);
            try (MemoryRegion source = register(huge, AccessFlag.REMOTE_READ, AccessFlag.HUGETLB)) {
                huge.setString(0, TEXT);
                assertThat(huge.byteSize()).isEqualTo(5 << 20);
                assertThat(Files.readString(Path.of("/proc/meminfo"))).containsPattern("HugePages_Rsvd: +[0-9]");
                assertThat(read(source, 64)).isEqualTo(TEXT);
            }
        }
        assertThat(Files.readString(Path.of("/proc/meminfo"))).containsPattern("HugePages_Free: +8\n");
        setHugePages(before);
    }

    private static int setHugePages(int pages) throws IOException {
        Path setting = Path.of("/proc/sys/vm/nr_hugepages");
        int before = Integer.parseInt(Files.readString(setting).strip());
        Files.writeString(setting, Integer.toString(pages));
        return before;
    }
}
