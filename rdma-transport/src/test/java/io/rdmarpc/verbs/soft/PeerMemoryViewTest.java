package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.ipc.IpcMemoryRegion;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.ipc.PeerMemoryView;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A view of a peer's memory")
@Timeout(60)
class PeerMemoryViewTest {

    private static final int LENGTH = 4 << 20;
    private static final int FEW_PACKETS = 100;
    private static final Set<AccessFlag> READABLE = EnumSet.of(AccessFlag.REMOTE_READ);

    private final SharedDirectory directory = directory();
    private final Arena pages = Arena.ofShared();
    private TestNode viewer;
    private TestNode owner;
    private QueuePair qp;
    private MemoryRegion memory;

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
        viewer = TestNode.overSharedMemory(directory, 0);
        owner = TestNode.overSharedMemory(directory, 0);
        memory = lend(owner, pages);
        Pair.fill(memory.segment(), 7);
        qp = viewer.create(QueuePairType.RC);
        TestNode.connect(viewer, qp, owner, owner.create(QueuePairType.RC));
        meet(qp, memory);
    }

    @AfterEach
    void close() throws IOException {
        viewer.close();
        owner.close();
        pages.close();
        directory.close();
    }

    private static MemoryRegion lend(TestNode of, Arena arena) {
        return of.domain.registerMemory(of.context.allocateLendable(arena, LENGTH), READABLE);
    }

    /** Sends a message, because rings are opened by the first packets. */
    private void meet(QueuePair by, MemoryRegion of) {
        MemoryRegion scrap = viewer.register(1, AccessFlag.LOCAL_WRITE);
        viewer.read(by, 1, scrap, 0, 1, of.address(), of.rkey());
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
    }

    private TestNode.Completion await() {
        return await(owner);
    }

    private TestNode.Completion await(TestNode other) {
        TestNode.Completion completion;
        do {
            other.progress();
            completion = viewer.next();
        } while (completion == null);
        return completion;
    }

    private PeerMemoryView post(long offset, int length) {
        return Objects.requireNonNull(
                IpcQueuePair.of(qp).postView(1, memory.address() + offset, memory.rkey(), length));
    }

    private PeerMemoryView view(long offset, int length) {
        PeerMemoryView view = post(offset, length);
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        return view;
    }

    private static MemorySegment seen(PeerMemoryView view) {
        return Objects.requireNonNull(view.memory());
    }

    @ParameterizedTest
    @DisplayName("is exactly the requested memory, however many grants it takes")
    @ValueSource(ints = {8192, 8193, 65536, 65537, 1 << 20, (1 << 20) + 1, (2 << 20) + 8192, LENGTH - 5})
    void shouldBeTheRequestedMemory(int length) {
        try (PeerMemoryView view = view(5, length)) {
            assertThat(seen(view).mismatch(memory.segment().asSlice(5, length))).isEqualTo(-1);
            assertThat(seen(view).isReadOnly()).isTrue();
        }
        assertThat(owner.counters().sent()).isLessThan(FEW_PACKETS);
        assertThat(viewer.counters().retries()).isZero();
        assertThat(viewer.context.rnic().readWindow().usedBytes()).isZero();
    }

    @Test
    @DisplayName("completes as a READ of that length")
    void shouldCompleteAsARead() {
        PeerMemoryView view = post(0, LENGTH);
        TestNode.Completion completion = await();
        assertThat(completion.wrId()).isOne();
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RDMA_READ);
        assertThat(completion.byteLength()).isEqualTo(LENGTH);
        view.close();
    }

    @Test
    @DisplayName("shows later writes of its owner")
    void shouldShowLaterWrites() {
        try (PeerMemoryView view = view(0, LENGTH)) {
            memory.segment().set(ValueLayout.JAVA_BYTE, 77, (byte) 99);
            assertThat(seen(view).get(ValueLayout.JAVA_BYTE, 77)).isEqualTo((byte) 99);
        }
    }

    @Test
    @DisplayName("shows later copies of its owner, also of unaligned parts and repeatedly")
    void shouldShowLaterCopies() {
        try (PeerMemoryView view = view(0, LENGTH)) {
            MemorySegment source = MemorySegment.ofArray(new byte[LENGTH]);
            for (int round = 1; round <= 20; round++) {
                int from = 37 * round;
                source.fill((byte) round);
                IpcMemoryRegion.of(memory).copyFrom(source, 1, from, LENGTH - from);
                assertThat(seen(view).asSlice(from).mismatch(source.asSlice(0, LENGTH - from)))
                        .isEqualTo(-1);
                IpcMemoryRegion.of(memory).prepare(0, LENGTH);
            }
        }
    }

    @Test
    @DisplayName("is of memory that is rewritten only within its bounds")
    void whenAPartIsNotInsideThenItIsNotWritten() {
        MemorySegment source = MemorySegment.ofArray(new byte[8192]);
        MemorySegment before = pages.allocate(LENGTH).copyFrom(memory.segment());
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> IpcMemoryRegion.of(memory).prepare(1, LENGTH));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> IpcMemoryRegion.of(memory).copyFrom(source, 0, LENGTH - 8191, 8192));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> IpcMemoryRegion.of(memory).copyFrom(source, 1, 0, 8192));
        try (PeerMemoryView view = view(0, LENGTH)) {
            assertThat(seen(view).mismatch(before)).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("has no memory before the peer's response")
    void whenThePeerHasNotRespondedThenThereIsNoMemory() {
        PeerMemoryView view = post(0, LENGTH);
        assertThat(view.isPosted()).isTrue();
        assertThat(view.memory()).isNull();
        await();
        view.close();
    }

    @Test
    @DisplayName("is known to its owner until the last one is closed")
    void whenItIsOpenThenItsOwnerKnows() {
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isFalse();
        PeerMemoryView first = view(0, 8192);
        PeerMemoryView second = view(100_000, 8192);
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isTrue();
        first.close();
        first.close();
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isTrue();
        second.close();
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isFalse();
        assertThat(second.memory()).isNull();
    }

    @Test
    @DisplayName("stays unchanged when its owner frees the memory and closes")
    void whenItsOwnerClosesThenItStays() throws IOException {
        Arena gone = Arena.ofShared();
        MemoryRegion more = lend(owner, gone);
        Pair.fill(more.segment(), 8);
        byte[] before = more.segment().toArray(ValueLayout.JAVA_BYTE);
        PeerMemoryView view =
                Objects.requireNonNull(IpcQueuePair.of(qp).postView(1, more.address(), more.rkey(), LENGTH));
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        more.close();
        gone.close();
        long freed = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
        while (System.nanoTime() < freed) {
            owner.progress();
            viewer.progress();
        }
        owner.context.close();
        viewer.context.close();

        assertThat(seen(view).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        MemorySegment stale = seen(view);
        assertThat(mappings()).isOne();
        view.close();
        assertThat(mappings()).isZero();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> stale.get(ValueLayout.JAVA_BYTE, 0));
    }

    /** Returns how often this process has mapped the second shared memory object of the owner. */
    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("rdma-rpc-pages-2")).count();
        }
    }

    /** Shares memory with another process, and waits to be killed. */
    static final class Owner {

        private Owner() {}

        /**
         * Runs the process.
         *
         * @param args the directory, the viewer's port and queue pair
         */
        public static void main(String[] args) throws IOException {
            TestNode node = TestNode.overSharedMemory(SharedDirectory.at(args[0]), 0);
            MemoryRegion lent = lend(node, Arena.ofShared());
            Pair.fill(lent.segment(), 3);
            QueuePair qp = node.create(QueuePairType.RC);
            connect(node, qp, Integer.parseInt(args[1]), Integer.parseInt(args[2]));
            System.out.println(node.port() + " " + qp.number() + " " + lent.address() + " " + lent.rkey());
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (System.nanoTime() < end) {
                node.progress();
            }
        }
    }

    private static void connect(TestNode from, QueuePair qp, int port, int qpn) {
        AddressHandleAttributes way = new AddressHandleAttributes(
                Gid.of(TestNode.LOOPBACK), port, 0, AddressHandleAttributes.DEFAULT_HOP_LIMIT, 0, 0, 1);
        qp.modify(from.toInit(AccessFlag.REMOTE_READ.bit()));
        qp.modify(from.toRtr(from, qpn, 0).addressVector(way));
        qp.modify(from.toRts(0));
    }

    @Test
    @DisplayName("of a process that is killed stays unchanged")
    @Tag("processes")
    void whenItsOwnerIsKilledThenItStays() throws IOException {
        QueuePair away = viewer.create(QueuePairType.RC);
        try (ChildJvm child = ChildJvm.start(
                Owner.class,
                directory.path().toString(),
                Integer.toString(viewer.port()),
                Integer.toString(away.number()))) {
            String[] words = child.line().split(" ", 4);
            connect(viewer, away, Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            long address = Long.parseLong(words[2]);
            int rkey = Integer.parseInt(words[3]);
            viewer.read(away, 1, viewer.register(1, AccessFlag.LOCAL_WRITE), 0, 1, address, rkey);
            assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
            PeerMemoryView view = Objects.requireNonNull(IpcQueuePair.of(away).postView(1, address, rkey, LENGTH));
            assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");

            child.kill();

            Pair.fill(memory.segment(), 3);
            assertThat(seen(view).mismatch(memory.segment())).isEqualTo(-1);
            view.close();
        }
    }

    @Test
    @DisplayName("is rejected like a READ if the key, the range or the right does not allow it")
    void whenRangeIsNotAllowedThenItIsRejected() {
        PeerMemoryView view = post(1, LENGTH);
        assertThat(await().status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        assertThat(view.memory()).isNull();
        view.close();
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isFalse();
    }

    private PeerMemoryView atOnce(long offset, int length) {
        PeerMemoryView view = post(offset, length);
        assertThat(view.isPosted()).isFalse();
        assertThat(view.memory()).isNotNull();
        return view;
    }

    @Test
    @DisplayName("of memory that was viewed before is complete at once, without a request")
    void whenItWasViewedBeforeThenItIsCompleteAtOnce() {
        view(0, LENGTH).close();
        long asked = owner.counters().received();
        try (PeerMemoryView again = atOnce(100_000, LENGTH - 100_000)) {
            assertThat(seen(again).mismatch(memory.segment().asSlice(100_000))).isEqualTo(-1);
            assertThat(IpcMemoryRegion.of(memory).isViewed()).isTrue();
        }
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isFalse();
        owner.progress();
        viewer.progress();
        assertThat(owner.counters().received()).isEqualTo(asked);
    }

    @Test
    @DisplayName("of more memory than was viewed before is requested")
    void whenMoreIsRequestedThanWasViewedThenThePeerIsAsked() {
        view(100_000, 100_000).close();
        for (long offset : new long[] {99_999, 100_001}) {
            PeerMemoryView other = post(offset, 100_000);
            assertThat(other.memory()).isNull();
            assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
            assertThat(seen(other).mismatch(memory.segment().asSlice(offset, 100_000)))
                    .isEqualTo(-1);
            other.close();
        }
        atOnce(99_999, 100_002).close();
    }

    @Test
    @DisplayName("of memory that was viewed before is not available with a revoked key")
    void whenTheKeyIsRevokedThenEarlierGrantsAreInvalid() {
        view(0, LENGTH).close();
        memory.close();
        assertThat(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey(), LENGTH))
                .isNull();
    }

    @Test
    @DisplayName("of memory that was viewed before is not available after the end of the connection")
    void whenTheConnectionHasEndedThenEarlierGrantsAreInvalid() {
        view(0, LENGTH).close();
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey(), LENGTH))
                .isNull();
    }

    @Test
    @DisplayName("of more ranges than the cache holds is requested again")
    void whenTheCacheIsFullThenSomeRangesAreRequestedAgain() {
        MemoryRegion[] many = new MemoryRegion[600];
        for (int i = 0; i < many.length; i++) {
            many[i] = owner.domain.registerMemory(owner.context.allocateLendable(pages, 8192), READABLE);
            many[i].segment().fill((byte) i);
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < many.length; i++) {
                PeerMemoryView view = Objects.requireNonNull(
                        IpcQueuePair.of(qp).postView(i, many[i].address(), many[i].rkey(), 8192));
                if (view.isPosted()) {
                    assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
                }
                assertThat(seen(view).get(ValueLayout.JAVA_BYTE, 8191)).isEqualTo((byte) i);
                view.close();
            }
        }
    }

    @Test
    @DisplayName("has no memory if the key is revoked before the grant is used; a READ is then rejected")
    void whenKeyIsRevokedBeforeTheGrantIsUsedThenThereIsNoView() {
        PeerMemoryView view = post(0, LENGTH);
        viewer.progress();
        owner.progress();
        memory.close();
        viewer.progress();
        await();
        assertThat(view.memory()).isNull();
        view.close();
    }

    @Test
    @DisplayName("ends with its queue pair")
    void whenTheQueuePairFailsThenItIsFlushed() {
        PeerMemoryView view = post(0, LENGTH);
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(await().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        owner.progress();
        viewer.progress();
        assertThat(view.memory()).isNull();
        view.close();
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isFalse();
    }

    @Test
    @DisplayName("that is closed before the peer's response leaves no mapping")
    void whenItIsClosedEarlyThenNoMappingIsLeft() {
        PeerMemoryView view = post(0, LENGTH);
        view.close();
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        assertThat(view.memory()).isNull();
        assertThat(IpcMemoryRegion.of(memory).isViewed()).isFalse();
    }

    @Test
    @DisplayName("completes in order with READs and WRITEs")
    void shouldCompleteInOrder() {
        MemoryRegion into = viewer.register(LENGTH, AccessFlag.LOCAL_WRITE);
        MemoryRegion target = Pair.everythingAllowed(owner, LENGTH);
        for (int i = 0; i < 24; i += 3) {
            viewer.read(qp, i, into, 0, 100_000, memory.address(), memory.rkey());
            PeerMemoryView view = Objects.requireNonNull(
                    IpcQueuePair.of(qp).postView(i + 1, memory.address() + i * 100_000L, memory.rkey(), 100_000));
            viewer.message(qp, i + 2, SendOpcode.RDMA_WRITE, into, 0, 1000, TestNode.Remote.of(target, 0));
            assertThat(await().wrId()).isEqualTo(i);
            assertThat(await().wrId()).isEqualTo(i + 1);
            assertThat(seen(view).mismatch(memory.segment().asSlice(i * 100_000L, 100_000)))
                    .isEqualTo(-1);
            view.close();
            assertThat(await().wrId()).isEqualTo(i + 2);
        }
    }

    @Test
    @DisplayName("of memory that cannot be mapped is declined without its bytes, and not requested again")
    void whenMemoryCannotBeMappedThenItIsDeclinedOnce() {
        MemoryRegion ordinary = Pair.everythingAllowed(owner, LENGTH);
        PeerMemoryView view =
                Objects.requireNonNull(IpcQueuePair.of(qp).postView(1, ordinary.address(), ordinary.rkey(), LENGTH));
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        assertThat(view.memory()).isNull();
        view.close();
        assertThat(owner.counters().sent()).isLessThan(FEW_PACKETS);
        assertThat(IpcQueuePair.of(qp).postView(1, ordinary.address(), ordinary.rkey(), LENGTH))
                .isNull();
        view(0, LENGTH).close();

        MemoryRegion into = viewer.register(LENGTH, AccessFlag.LOCAL_WRITE);
        viewer.read(qp, 2, into, 0, LENGTH, ordinary.address(), ordinary.rkey());
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
    }

    @Test
    @DisplayName("is rejected for an unknown key")
    void whenTheKeyIsUnknownThenItIsRejected() {
        PeerMemoryView view =
                Objects.requireNonNull(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey() + 1, LENGTH));
        assertThat(await().status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        assertThat(view.memory()).isNull();
        view.close();
    }

    @Test
    @DisplayName("is not available for short ranges or unconnected queue pairs")
    void whenARangeIsTooShortThenNothingIsPosted() {
        assertThat(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey(), 8191))
                .isNull();
        assertThat(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey(), 0))
                .isNull();
        assertThat(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey(), -1))
                .isNull();
        QueuePair unconnected = viewer.create(QueuePairType.RC);
        assertThat(IpcQueuePair.of(unconnected).postView(1, memory.address(), memory.rkey(), LENGTH))
                .isNull();
        qp.close();
        assertThat(IpcQueuePair.of(qp).postView(1, memory.address(), memory.rkey(), LENGTH))
                .isNull();
    }

    @Test
    @DisplayName("is not posted to a full queue")
    void whenTheQueueIsFullThenNothingIsPosted() {
        QueuePair small = viewer.create(QueuePairType.RC, 1);
        TestNode.connect(viewer, small, owner, owner.create(QueuePairType.RC));
        meet(small, memory);
        PeerMemoryView only =
                Objects.requireNonNull(IpcQueuePair.of(small).postView(1, memory.address(), memory.rkey(), LENGTH));
        assertThat(IpcQueuePair.of(small).postView(2, memory.address(), memory.rkey(), LENGTH))
                .isNull();
        await();
        only.close();
    }

    @Test
    @DisplayName("is not available over the network")
    void whenThereIsNoSharedMemoryThenNothingIsPosted() throws IOException {
        try (TestNode near = TestNode.overUdp(LinkFaults.NONE);
                TestNode far = TestNode.overUdp(LinkFaults.NONE)) {
            QueuePair remote = near.create(QueuePairType.RC);
            TestNode.connect(near, remote, far, far.create(QueuePairType.RC));
            MemoryRegion theirs = Pair.everythingAllowed(far, LENGTH);
            assertThat(IpcQueuePair.of(remote).postView(1, theirs.address(), theirs.rkey(), LENGTH))
                    .isNull();
        }
    }

    @Test
    @DisplayName("completes although grants are lost")
    void whenGrantsAreLostThenTheyAreRequestedAgain() throws IOException {
        long seed = TestSeed.next();
        try (TestNode lossy = TestNode.overSharedMemory(directory, 0, LinkFaults.loss(0.2, seed))) {
            MemoryRegion scrap = viewer.register(1, AccessFlag.LOCAL_WRITE);
            QueuePair patient = viewer.create(QueuePairType.RC);
            TestNode.connect(viewer, patient, lossy, lossy.create(QueuePairType.RC));
            for (int i = 0; i < 20; i++) {
                MemoryRegion data = lend(lossy, pages);
                viewer.read(patient, 1, scrap, 0, 1, data.address(), data.rkey());
                assertThat(Pair.status(await(lossy))).as("seed %d", seed).isEqualTo("SUCCESS (0)");
                Pair.fill(data.segment(), i);
                PeerMemoryView view = Objects.requireNonNull(
                        IpcQueuePair.of(patient).postView(1, data.address(), data.rkey(), LENGTH));
                assertThat(Pair.status(await(lossy))).as("seed %d", seed).isEqualTo("SUCCESS (0)");
                assertThat(seen(view).mismatch(data.segment()))
                        .as("seed %d", seed)
                        .isEqualTo(-1);
                view.close();
                assertThat(IpcMemoryRegion.of(data).isViewed())
                        .as("seed %d", seed)
                        .isFalse();
            }
            assertThat(viewer.counters().retries()).isPositive();
        }
    }
}
