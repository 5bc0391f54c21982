package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Special registrations on a software RNIC, and its device attributes. */
@Timeout(60)
class RegistrationTest {

    private static final String TEXT = "the same file, read over the network";

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();
    private final TestNode reader = TestNode.inMemory(network, 5001, LinkFaults.NONE, clock);
    private final TestNode target = TestNode.inMemory(network, 5002, LinkFaults.NONE, clock);

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        reader.close();
        target.close();
    }

    private int read(MemoryRegion into, MemoryRegion from) {
        QueuePair qp = reader.create(QueuePairType.RC);
        TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
        assertThat(reader.read(qp, 1, into, 0, (int) into.byteSize(), from.address(), from.rkey()))
                .isZero();
        for (int round = 0; round < 10_000; round++) {
            TestNode.Completion completion = reader.next();
            if (completion != null) {
                return completion.status();
            }
            target.progress();
            clock.advanceMicros(20);
        }
        throw new AssertionError("no completion");
    }

    private static void assertRejected(ThrowingCallable action, int errno, String words) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(action)
                .withMessageContaining(words)
                .satisfies(rejection -> assertThat(rejection.errno()).isEqualTo(errno));
    }

    @Test
    void shouldReadAMappedFile() throws IOException {
        Path file = Files.writeString(directory.resolve("data"), TEXT);
        try (FileChannel channel = FileChannel.open(file);
                Arena arena = Arena.ofShared();
                MemoryRegion from = target.domain.registerMemory(
                        channel.map(MapMode.READ_ONLY, 0, TEXT.length(), arena), Set.of(AccessFlag.REMOTE_READ))) {
            MemoryRegion into = reader.register(TEXT.length(), AccessFlag.LOCAL_WRITE);

            assertThat(read(into, from)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(into.segment().mismatch(from.segment())).isEqualTo(-1);
        }
    }

    @Test
    void shouldReadZeroBasedMemoryFromZero() {
        MemorySegment memory = target.arena.allocate(64);
        memory.setString(0, TEXT);
        MemoryRegion from = target.domain.registerMemory(memory, Set.of(AccessFlag.REMOTE_READ, AccessFlag.ZERO_BASED));
        MemoryRegion into = reader.register(64, AccessFlag.LOCAL_WRITE);

        assertThat(from.address()).isZero();
        assertThat(read(into, from)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(into.segment().getString(0)).isEqualTo(TEXT);
    }

    @Test
    void whenNoRightIsGrantedThenPeersMayNotRead() {
        MemoryRegion from = target.domain.registerMemory(target.arena.allocate(64));
        MemoryRegion into = reader.register(64, AccessFlag.LOCAL_WRITE);

        assertThat(read(into, from)).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRejectWhatItCannotRegister() {
        Arena closed = Arena.ofShared();
        MemorySegment gone = closed.allocate(64);
        closed.close();
        MemorySegment empty = MemorySegment.ofAddress(4096);

        assertRejected(() -> target.domain.registerMemory(gone), Errno.EFAULT, "The arena of the 64 bytes is closed");
        assertRejected(() -> target.domain.registerMemory(empty), Errno.EFAULT, "0 bytes");
        assertRejected(
                () -> target.domain.registerMemory(target.arena.allocate(8).asReadOnly(), Set.of(AccessFlag.MW_BIND)),
                Errno.EACCES,
                "read-only");
    }

    @Test
    void shouldRejectWhatNeedsHardware() {
        assertRejected(
                () -> target.domain.registerDmaBuf(1, 0, 64, 0, Set.of()),
                Errno.EOPNOTSUPP,
                "copy through main memory");
        assertRejected(
                () -> target.context.allocateHugePages(target.arena, 64), Errno.EOPNOTSUPP, "use Arena.allocate");
    }

    @Test
    void shouldHaveOnePartition() {
        assertThat(target.context.queryPartitionKey(1, 0)).isEqualTo(0xFFFF);
        assertRejected(() -> target.context.queryPartitionKey(1, 1), Errno.EINVAL, "has no entry 1");
        assertRejected(() -> target.context.queryPartitionKey(2, 0), Errno.EINVAL, "Port 2 does not exist");
    }

    @Test
    void shouldReportItsAttributes() {
        SoftDevice device = (SoftDevice) new SoftProvider().devices(Map.of()).getFirst();

        assertThat(device.nodeType()).isEqualTo(NodeType.CA);
        assertThat(device.transport()).isEqualTo(TransportType.IB);
        assertThat(device.nodeGuid()).as("depends on the port of each opening").isEmpty();
    }
}
