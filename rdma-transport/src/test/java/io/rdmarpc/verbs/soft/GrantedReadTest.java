package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** READs of memory that the reader maps. */
@Timeout(60)
class GrantedReadTest {

    private static final int LENGTH = 4 << 20;
    private static final int FEW_PACKETS = 100;

    private final SharedDirectory directory = directory();
    private final Arena pages = Arena.ofShared();
    private TestNode reader;
    private TestNode target;
    private QueuePair qp;
    private MemoryRegion into;
    private MemoryRegion from;

    private static SharedDirectory directory() {
        try {
            return SharedDirectory.create();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        reader = TestNode.overSharedMemory(directory, 0);
        target = TestNode.overSharedMemory(directory, 0);
        into = reader.register(LENGTH, AccessFlag.LOCAL_WRITE);
        from = target.domain.registerMemory(
                target.context.allocateLendable(pages, LENGTH),
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
        Pair.fill(from.segment(), 7);
        qp = reader.create(QueuePairType.RC);
        TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
    }

    @AfterEach
    void close() throws IOException {
        reader.close();
        target.close();
        pages.close();
        directory.close();
    }

    private String read(long offset, int length) {
        into.segment().fill((byte) 0);
        assertThat(reader.read(qp, 1, into, 0, length, from.address() + offset, from.rkey()))
                .isZero();
        return Pair.status(await());
    }

    private TestNode.Completion await() {
        return await(target);
    }

    private TestNode.Completion await(TestNode other) {
        TestNode.Completion completion;
        do {
            other.progress();
            completion = reader.next();
        } while (completion == null);
        return completion;
    }

    private void assertSame(long offset, int length) {
        assertThat(into.segment().asSlice(0, length).mismatch(from.segment().asSlice(offset, length)))
                .isEqualTo(-1);
        assertThat(into.segment().asSlice(length).mismatch(MemorySegment.ofArray(new byte[LENGTH - length])))
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 8191, 8192, 8193, 65536, 65537, 1 << 20, (1 << 20) - 1, LENGTH - 5})
    void shouldReadExactlyTheBytesRequested(int length) {
        assertThat(read(5, length)).isEqualTo("SUCCESS (0)");
        assertSame(5, length);
    }

    @Test
    void shouldSendNoBytesOfALargeRead() {
        read(0, LENGTH);
        assertThat(target.counters().sent()).isLessThan(FEW_PACKETS);
        assertThat(reader.counters().retries()).isZero();
    }

    @Test
    void whenThePeerGrantsThenLaterReadsTakeFewRequests() {
        read(0, 1 << 20);
        long before = target.counters().received();
        read(0, 1 << 20);
        assertThat(target.counters().received() - before).isEqualTo(4);
    }

    @Test
    void whenOneReadIsCopiedAndTheNextIsSentThenBothAreWhole() {
        MemoryRegion ordinary = Pair.everythingAllowed(target, LENGTH);
        Pair.fill(ordinary.segment(), 8);
        for (int round = 0; round < 3; round++) {
            assertThat(read(0, LENGTH)).isEqualTo("SUCCESS (0)");
            assertSame(0, LENGTH);
            reader.read(qp, 1, into, 0, LENGTH, ordinary.address(), ordinary.rkey());
            assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
            assertThat(into.segment().mismatch(ordinary.segment())).isEqualTo(-1);
        }
        assertThat(reader.counters().retries()).isZero();
        assertThat(reader.context.rnic().readWindow().usedBytes()).isZero();
    }

    @Test
    void whenMemoryCannotBeMappedThenItIsSent() {
        MemoryRegion ordinary = Pair.everythingAllowed(target, LENGTH);
        Pair.fill(ordinary.segment(), 8);
        reader.read(qp, 1, into, 0, LENGTH, ordinary.address(), ordinary.rkey());
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        assertThat(into.segment().mismatch(ordinary.segment())).isEqualTo(-1);
        assertThat(target.counters().sent()).isGreaterThanOrEqualTo(LENGTH / 4096);
    }

    @Test
    void whenMemoryCannotBePassedThenItIsSent() throws IOException {
        for (Path file : directory.files()) {
            if (file.getFileName().toString().equals("socket")) {
                Files.delete(file);
            }
        }
        assertThat(read(0, LENGTH)).isEqualTo("SUCCESS (0)");
        assertSame(0, LENGTH);
        assertThat(target.counters().sent()).isGreaterThanOrEqualTo(LENGTH / 4096);
    }

    @Test
    void whenKeyIsRevokedBeforeTheGrantIsUsedThenReadIsRejected() {
        reader.read(qp, 1, into, 0, LENGTH, from.address(), from.rkey());
        reader.progress();
        target.progress();
        from.close();
        assertThat(await().status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRangeIsNotAllowedThenReadIsRejected() {
        assertThat(read(1, LENGTH)).isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
    }

    @Test
    void shouldReadEarlierWrites() {
        MemoryRegion data = reader.register(LENGTH);
        Pair.fill(data.segment(), 9);
        reader.message(qp, 1, SendOpcode.RDMA_WRITE, data, 0, 1 << 20, TestNode.Remote.of(from, 0));
        assertThat(read(0, 1 << 20)).isEqualTo("SUCCESS (0)");
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        assertSame(0, 1 << 20);
        assertThat(into.segment().asSlice(0, 1 << 20).mismatch(data.segment().asSlice(0, 1 << 20)))
                .isEqualTo(-1);
    }

    @Test
    void shouldCompleteManyReadsInOrder() {
        for (int i = 0; i < 24; i++) {
            reader.read(qp, i, into, i * 100_000L, 100_000, from.address() + i * 50_000L, from.rkey());
        }
        for (int i = 0; i < 24; i++) {
            assertThat(await().wrId()).isEqualTo(i);
            assertThat(into.segment()
                            .asSlice(i * 100_000L, 100_000)
                            .mismatch(from.segment().asSlice(i * 50_000L, 100_000)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void whenArenaIsClosedThenReaderUnmapsItsMemory() throws IOException {
        Arena gone = Arena.ofShared();
        MemoryRegion more = target.domain.registerMemory(
                target.context.allocateLendable(gone, LENGTH), EnumSet.of(AccessFlag.REMOTE_READ));
        reader.read(qp, 1, into, 0, LENGTH, more.address(), more.rkey());
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        assertThat(mappings()).isEqualTo(2);
        more.close();
        gone.close();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (mappings() > 0 && System.nanoTime() < end) {
            target.progress();
            reader.progress();
        }
        assertThat(mappings()).isZero();
    }

    /** Returns how often this process has mapped the second shared memory object of the target. */
    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("rdma-rpc-pages-2")).count();
        }
    }

    @Test
    void whenGrantsAreLostThenTheyAreRequestedAgain() throws IOException {
        long seed = TestSeed.next();
        try (TestNode lossy = TestNode.overSharedMemory(directory, 0, LinkFaults.loss(0.2, seed))) {
            MemoryRegion data = lossy.domain.registerMemory(
                    lossy.context.allocateLendable(pages, LENGTH), EnumSet.of(AccessFlag.REMOTE_READ));
            QueuePair patient = reader.create(QueuePairType.RC);
            TestNode.connect(reader, patient, lossy, lossy.create(QueuePairType.RC));
            for (int i = 0; i < 20; i++) {
                Pair.fill(data.segment(), i);
                reader.read(patient, 1, into, 0, LENGTH, data.address(), data.rkey());
                assertThat(Pair.status(await(lossy))).as("seed %d", seed).isEqualTo("SUCCESS (0)");
                assertThat(into.segment().mismatch(data.segment()))
                        .as("seed %d", seed)
                        .isEqualTo(-1);
            }
            assertThat(reader.counters().retries()).isPositive();
            assertThat(lossy.counters().sent()).isLessThan(20 * LENGTH / 4096 / 4);
        }
    }
}
