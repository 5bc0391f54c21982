package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.domain.CopyWait;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.samehost.MappedWrite;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WRITEs into memory that the writer maps. */
@Timeout(120)
class GrantedWriteTest {

    private static final int LENGTH = 4 << 20;
    private static final int SHORTEST = MappedWrite.SHORTEST_BYTES;
    private static final int FEW_PACKETS = 100;
    private static final Set<AccessFlag> WRITABLE = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);

    private final Arena pages = Arena.ofShared();
    private SharedDirectory directory;
    private TestNode writer;
    private TestNode target;
    private QueuePair qp;
    private QueuePair qpOfTarget;
    private MemoryRegion from;
    private MemoryRegion to;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        directory = SharedDirectory.create();
        open(LinkFaults.NONE);
    }

    private void open(LinkFaults faults) throws IOException {
        writer = TestNode.overSharedMemory(directory, 0, faults);
        target = TestNode.overSharedMemory(directory, 0, faults);
        from = writer.register(LENGTH, AccessFlag.LOCAL_WRITE);
        Pair.fill(from.segment(), 7);
        to = lend(WRITABLE);
        qp = writer.create(QueuePairType.RC);
        qpOfTarget = target.create(QueuePairType.RC);
        TestNode.connect(writer, qp, target, qpOfTarget);
        meet();
    }

    /** Sends a message, because rings are opened by the first packets. */
    private void meet() {
        write(0, SendOpcode.RDMA_WRITE, 0, 1);
        awaitStatus();
        to.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 0);
    }

    private MemoryRegion lend(Set<AccessFlag> access) {
        return target.domain.registerMemory(target.context.allocateLendable(pages, LENGTH), access);
    }

    @AfterEach
    void close() throws IOException {
        StopPoint.IN_COPY.hook(null);
        if (directory != null) {
            closeNodes();
            directory.close();
        }
        pages.close();
    }

    private void closeNodes() {
        writer.close();
        target.close();
    }

    private int write(int wrId, int opcode, int offset, int length) {
        return writer.message(qp, wrId, opcode, from, offset, length, TestNode.Remote.of(to, offset));
    }

    private TestNode.Completion await(TestNode of, TestNode other) {
        TestNode.Completion completion;
        do {
            other.progress();
            completion = of.next();
        } while (completion == null);
        return completion;
    }

    private String awaitStatus() {
        return Pair.status(await(writer, target));
    }

    private void assertWritten(int offset, int length) {
        assertThat(to.segment().asSlice(offset, length).mismatch(from.segment().asSlice(offset, length)))
                .isEqualTo(-1);
        assertZero(0, offset);
        assertZero(offset + length, LENGTH - offset - length);
    }

    private void assertZero(int offset, int length) {
        assertThat(to.segment().asSlice(offset, length).mismatch(MemorySegment.ofArray(new byte[length])))
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                1,
                SHORTEST - 1,
                SHORTEST,
                SHORTEST + 1,
                (256 << 10) - 1,
                256 << 10,
                (256 << 10) + 1,
                (256 << 10) + SHORTEST,
                1 << 20,
                LENGTH - 5
            })
    void shouldWriteExactlyTheBytesRequested(int length) {
        write(1, SendOpcode.RDMA_WRITE, 5, length);
        assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
        assertWritten(5, length);
    }

    @Test
    void shouldSendNoBytesOfALargeWrite() {
        write(1, SendOpcode.RDMA_WRITE, 0, LENGTH);
        assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
        assertThat(writer.counters().sent()).isLessThan(FEW_PACKETS);
        assertThat(writer.counters().retries()).isZero();
    }

    @Test
    void shouldDeliverImmediateDataAfterTheBytes() {
        target.receive(qpOfTarget, 77, to, 0, 0);
        write(3, SendOpcode.RDMA_WRITE_WITH_IMM, 0, LENGTH);
        TestNode.Completion received = await(target, writer);
        assertWritten(0, LENGTH);
        assertThat(received.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECV_RDMA_WITH_IMM);
        assertThat(received.wrId()).isEqualTo(77);
        assertThat(received.byteLength()).isEqualTo(LENGTH);
        assertThat(received.immediate()).isEqualTo(TestNode.immediateOf(3));
        assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
    }

    @Test
    void whenNoReceiveIsPostedThenImmediateDataIsSentAgain() {
        write(3, SendOpcode.RDMA_WRITE_WITH_IMM, 0, 100_000);
        for (int i = 0; i < 1000; i++) {
            writer.progress();
            target.progress();
        }
        target.receive(qpOfTarget, 77, to, 0, 0);
        assertThat(await(target, writer).immediate()).isEqualTo(TestNode.immediateOf(3));
        assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
        assertThat(writer.counters().notReady()).isPositive();
        assertWritten(0, 100_000);
    }

    @Test
    void shouldKeepTheOrderOfMappedAndSentOnes() {
        MemoryRegion other = writer.register(LENGTH, AccessFlag.LOCAL_WRITE);
        Pair.fill(other.segment(), 8);
        for (int i = 0; i < 10; i++) {
            int length = i % 2 == 0 ? 300_000 : 20_000;
            writer.message(qp, i, SendOpcode.RDMA_WRITE, other, 0, length, TestNode.Remote.of(to, 0));
        }
        write(10, SendOpcode.RDMA_WRITE, 0, 20_000);
        write(11, SendOpcode.RDMA_WRITE, 20_000, 280_000);
        for (int i = 0; i < 12; i++) {
            TestNode.Completion completion = await(writer, target);
            assertThat(completion.wrId()).isEqualTo(i);
            assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        }
        assertWritten(0, 300_000);
    }

    @Test
    void whenTheFirstMessageIsLongThenTheRestOfItIsCopied() throws IOException {
        try (TestNode newcomer = TestNode.overSharedMemory(directory, 0)) {
            MemoryRegion source = newcomer.register(LENGTH, AccessFlag.LOCAL_WRITE);
            Pair.fill(source.segment(), 9);
            QueuePair own = newcomer.create(QueuePairType.RC);
            TestNode.connect(newcomer, own, target, target.create(QueuePairType.RC));
            newcomer.message(own, 1, SendOpcode.RDMA_WRITE, source, 0, LENGTH, TestNode.Remote.of(to, 0));
            assertThat(Pair.status(await(newcomer, target))).isEqualTo("SUCCESS (0)");
            assertThat(to.segment().mismatch(source.segment())).isEqualTo(-1);
            assertThat(newcomer.counters().sent()).isBetween(2L, (long) LENGTH / 4096);
        }
    }

    @Test
    void whenMemoryCannotBePassedThenItIsSent() throws IOException {
        for (Path file : directory.files()) {
            if (file.endsWith("socket")) {
                Files.delete(file);
            }
        }
        MemoryRegion later = lend(WRITABLE);
        writer.message(qp, 1, SendOpcode.RDMA_WRITE, from, 0, LENGTH, TestNode.Remote.of(later, 0));
        assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
        assertThat(later.segment().mismatch(from.segment())).isEqualTo(-1);
        assertThat(writer.counters().retries()).isZero();
        assertThat(writer.counters().sent()).isGreaterThanOrEqualTo(LENGTH / 4096);
    }

    @Test
    void whenMemoryCannotBeMappedThenItIsSent() {
        to = target.register(LENGTH, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        write(1, SendOpcode.RDMA_WRITE, 0, LENGTH);
        assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
        assertWritten(0, LENGTH);
        assertThat(writer.counters().sent()).isGreaterThanOrEqualTo(LENGTH / 4096);
    }

    /** The offer is one more packet. The writer does not offer a key again that the peer has declined. */
    @Test
    void whenMemoryWasDeclinedThenItIsNotOfferedAgain() {
        MemoryRegion[] ordinary = new MemoryRegion[5];
        for (int i = 0; i < ordinary.length; i++) {
            ordinary[i] = target.register(SHORTEST, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        }
        int packets = ordinary.length * SHORTEST / 4096;
        for (int round = 0; round < 3; round++) {
            long before = writer.counters().sent();
            for (MemoryRegion memory : ordinary) {
                writer.message(qp, 1, SendOpcode.RDMA_WRITE, from, 0, SHORTEST, TestNode.Remote.of(memory, 0));
                assertThat(awaitStatus()).isEqualTo("SUCCESS (0)");
            }
            // Two of five keys may share a slot in the table of declined keys.
            assertThat(writer.counters().sent() - before)
                    .as("round %d", round)
                    .isBetween((long) packets, packets + (round == 0 ? 5L : 4L));
        }
    }

    @Test
    void whenRightOrRangeDoNotAllowItThenNothingIsWritten() {
        MemoryRegion readable = lend(EnumSet.of(AccessFlag.REMOTE_READ));
        writer.message(qp, 1, SendOpcode.RDMA_WRITE, from, 0, 100_000, TestNode.Remote.of(readable, 0));
        assertThat(awaitStatus()).isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
        assertThat(readable.segment().asSlice(0, 8).mismatch(MemorySegment.ofArray(new byte[8])))
                .isEqualTo(-1);
    }

    @Test
    void whenRangeIsTooLongThenNothingIsWritten() {
        writer.message(qp, 1, SendOpcode.RDMA_WRITE, from, 0, LENGTH, TestNode.Remote.of(to, 1));
        assertThat(awaitStatus()).isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
        assertZero(0, LENGTH);
    }

    @Test
    void whenKeyIsRevokedBeforeTheGrantIsUsedThenNothingIsWritten() {
        write(1, SendOpcode.RDMA_WRITE, 0, 100_000);
        writer.progress();
        target.progress();
        to.close();
        assertThat(awaitStatus()).isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
        assertZero(0, LENGTH);
    }

    @Test
    void whenKeyIsRevokedDuringTheCopyThenRevocationWaitsForIt() throws InterruptedException {
        boolean[] closedEarly = {false};
        Thread revoker = new Thread(to::close);
        StopPoint.IN_COPY.hook(() -> {
            StopPoint.IN_COPY.hook(null);
            revoker.start();
            try {
                closedEarly[0] = revoker.join(Duration.ofMillis(200));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        write(1, SendOpcode.RDMA_WRITE, 0, 100_000);
        awaitStatus();
        revoker.join();
        assertThat(closedEarly[0]).as("revoked while the peer copied").isFalse();
    }

    private static void assertBusy(ThrowingCallable action) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(action)
                .withMessageContaining("has been stopped for more than 1000 ms while it was writing")
                .satisfies(rejection -> assertThat(rejection.errno()).isEqualTo(Errno.EBUSY));
    }

    /** Runs an action once while the writer is stopped after a part of its copy. */
    private void whileTheWriterStandsStill(Runnable action) {
        StopPoint.IN_COPY.hook(() -> {
            StopPoint.IN_COPY.hook(null);
            action.run();
        });
        write(1, SendOpcode.RDMA_WRITE, 0, 100_000);
        assertThat(awaitStatus()).isNotEqualTo("SUCCESS (0)");
    }

    @Test
    void whenPeerStopsInItsCopyThenItsRingIsAbandonedAndTheRegionStaysOpenUntilTheCopyEnds() {
        whileTheWriterStandsStill(() -> {
            assertBusy(to::close);
            long start = System.nanoTime();
            assertBusy(to::close);
            assertThat(System.nanoTime() - start).as("waits once").isLessThan(CopyWait.LONGEST_NANOS / 2);
        });
        assertThat(target.shared().overduePins()).isEqualTo(1);
        to.close();
        to.close();
    }

    @Test
    void whenPeerStopsInItsCopyThenTheRegionIsNotReregisteredBeforeTheCopyEnds() {
        MemorySegment other = target.context.allocateLendable(pages, LENGTH);
        whileTheWriterStandsStill(() -> {
            assertBusy(() -> to.reregister(other, WRITABLE));
            assertBusy(() -> to.reregister(other, WRITABLE));
        });
        to.reregister(other, WRITABLE);
        assertThat(to.segment()).isEqualTo(other);
    }

    /** A stopped peer delays no other peer. */
    @Test
    void whenPeerStopsInItsCopyThenTheRnicServesOthers() throws IOException {
        try (TestNode other = TestNode.overSharedMemory(directory, 0)) {
            MemoryRegion source = other.register(LENGTH, AccessFlag.LOCAL_WRITE);
            MemoryRegion theirs = lend(WRITABLE);
            QueuePair own = other.create(QueuePairType.RC);
            TestNode.connect(other, own, target, target.create(QueuePairType.RC));
            other.message(own, 1, SendOpcode.RDMA_WRITE, source, 0, 1, TestNode.Remote.of(theirs, 0));
            assertThat(Pair.status(await(other, target))).isEqualTo("SUCCESS (0)");

            Thread closer = new Thread(() -> assertBusy(to::close));
            whileTheWriterStandsStill(() -> {
                closer.start();
                while (closer.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < 10; i++) {
                    other.message(own, 2, SendOpcode.RDMA_WRITE, source, 0, 1000, TestNode.Remote.of(theirs, 0));
                    assertThat(Pair.status(await(other, target))).isEqualTo("SUCCESS (0)");
                }
                assertThat(closer.isAlive()).as("waits while others are served").isTrue();
                join(closer);
            });
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The peer writes to the pages that it has mapped, which are no longer used for other memory. */
    @Test
    void whenPeerContinuesAfterTheMemoryWasFreedThenItsSuccessorIsNotWritten() {
        Arena gone = Arena.ofShared();
        to = target.domain.registerMemory(target.context.allocateLendable(gone, LENGTH), WRITABLE);
        MemorySegment[] successor = {MemorySegment.NULL};
        whileTheWriterStandsStill(() -> {
            assertBusy(to::close);
            gone.close();
            successor[0] = target.context.allocateLendable(pages, LENGTH);
        });
        assertThat(successor[0].mismatch(MemorySegment.ofArray(new byte[LENGTH])))
                .isEqualTo(-1);
        to.close();
    }

    @Test
    void whenTheDomainIsClosedThenItWaitsForTheStoppedPeerOnly() {
        whileTheWriterStandsStill(() -> {
            long start = System.nanoTime();
            target.domain.close();
            assertThat(System.nanoTime() - start).isBetween(CopyWait.LONGEST_NANOS, 10 * CopyWait.LONGEST_NANOS);
            assertBusy(to::close);
        });
        assertThat(target.shared().overduePins()).isEqualTo(1);
        to.close();
    }

    /** With only the READ right a peer cannot copy into the memory, so its pin is ignored. */
    @Test
    void whenPeerMayOnlyReadThenRevocationWaitsForNothing() {
        to = lend(EnumSet.of(AccessFlag.REMOTE_READ));
        StopPoint.IN_COPY.hook(() -> {
            StopPoint.IN_COPY.hook(null);
            to.close();
        });
        writer.read(qp, 1, from, 0, 100_000, to.address(), to.rkey());
        assertThat(awaitStatus()).isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
        assertThat(target.shared().overduePins()).isZero();
    }

    @Test
    void whenLocalMemoryIsFreedThenFailsAsWithPackets() {
        MemoryRegion gone = writer.register(LENGTH, AccessFlag.LOCAL_WRITE);
        writer.message(qp, 1, SendOpcode.RDMA_WRITE, gone, 0, 100_000, TestNode.Remote.of(to, 0));
        gone.close();
        assertThat(awaitStatus()).isEqualTo(CompletionStatus.describe(CompletionStatus.LOC_PROT_ERR));
    }

    @Test
    void whenPacketsAreLostDuplicatedAndLateThenAllIsWrittenInOrder() throws IOException {
        closeNodes();
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        open(new LinkFaults(0.1, 0.1, 0.1, 0.1, 0, 50_000, seed));
        for (int i = 0; i < 40; i++) {
            Pair.fill(from.segment(), i);
            target.receive(qpOfTarget, i, to, 0, 0);
            int length = random.nextInt(SHORTEST, 1 << 20);
            write(i, SendOpcode.RDMA_WRITE_WITH_IMM, 0, length);
            TestNode.Completion received = await(target, writer);
            assertThat(received.immediate()).as("seed %d", seed).isEqualTo(TestNode.immediateOf(i));
            assertThat(to.segment().asSlice(0, length).mismatch(from.segment().asSlice(0, length)))
                    .as("seed %d", seed)
                    .isEqualTo(-1);
            assertThat(awaitStatus()).as("seed %d", seed).isEqualTo("SUCCESS (0)");
        }
        assertThat(writer.counters().retries()).isPositive();
    }
}
