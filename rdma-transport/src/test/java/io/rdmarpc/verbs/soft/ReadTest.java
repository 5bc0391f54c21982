package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA READ that must succeed under all faults of the network. */
@Timeout(120)
class ReadTest {

    private static final int MTU = 4096;
    private static final int MIB = 1 << 20;
    private static final int GUARD = 64;

    private static final long SEED = System.nanoTime();

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();

    private static LinkFaults faults(double loss, double duplicate, double reorder, double delay, double corrupt) {
        return new LinkFaults(loss, duplicate, reorder, delay, corrupt, LinkFaults.DEFAULT_DELAY_NANOS, SEED);
    }

    static Stream<Arguments> lengthsAndFaults() {
        LinkFaults[] faults = {
            LinkFaults.NONE,
            faults(0.01, 0, 0, 0, 0),
            faults(0.1, 0, 0, 0, 0),
            faults(0, 0.1, 0, 0, 0),
            faults(0, 0, 0.1, 0, 0),
            faults(0, 0, 0, 0.01, 0),
            faults(0, 0, 0, 0, 0.05),
            faults(0.03, 0.03, 0.03, 0.01, 0.03)
        };
        System.out.println("ReadTest seed " + SEED);
        return Stream.of(0, 1, MTU - 1, MTU, MTU + 1, MIB, 16 * MIB)
                .flatMap(length -> Stream.of(faults).map(fault -> Arguments.of(length, fault)));
    }

    private TestNode node(int port, LinkFaults faults) {
        return TestNode.inMemory(network, port, faults, clock);
    }

    private static void fill(MemorySegment segment, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long at = 0; at + Long.BYTES <= segment.byteSize(); at += Long.BYTES) {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    private TestNode.Completion await(TestNode reader, TestNode target) {
        for (int round = 0; round < 10_000_000; round++) {
            TestNode.Completion completion = reader.next();
            if (completion != null) {
                return completion;
            }
            target.progress();
            clock.advanceMicros(20);
        }
        throw new AssertionError("no completion, seed " + SEED + ": " + reader.counters() + ", " + target.counters());
    }

    @ParameterizedTest
    @MethodSource("lengthsAndFaults")
    void shouldReadExactlyTheBytesRequested(int length, LinkFaults faults) {
        try (TestNode reader = node(5001, faults);
                TestNode target = node(5002, faults)) {
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            MemoryRegion into = reader.register(length + 2 * GUARD, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(length + 3, AccessFlag.REMOTE_READ);
            fill(from.segment(), SEED);

            assertThat(reader.read(qp, 42, into, GUARD, length, from.address() + 3, from.rkey()))
                    .isZero();
            TestNode.Completion completion = await(reader, target);

            assertThat(completion.status()).as("seed %d", SEED).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(completion.wrId()).isEqualTo(42);
            assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RDMA_READ);
            assertThat(completion.byteLength()).isEqualTo(length);
            assertThat(completion.qpn()).isEqualTo(qp.number());
            assertSame(into.segment(), GUARD, from.segment(), 3, length);
            assertZero(into.segment().asSlice(0, GUARD));
            assertZero(into.segment().asSlice(GUARD + length));
            assertThat(reader.context.rnic().readWindow().usedBytes()).isZero();
        }
    }

    private static void assertSame(MemorySegment a, long atA, MemorySegment b, long atB, long length) {
        assertThat(MemorySegment.mismatch(a, atA, atA + length, b, atB, atB + length))
                .as("first byte that differs, seed %d", SEED)
                .isEqualTo(-1);
    }

    private static void assertZero(MemorySegment segment) {
        for (long i = 0; i < segment.byteSize(); i++) {
            assertThat(segment.get(ValueLayout.JAVA_BYTE, i)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(PathMtu.class)
    void shouldReadWithEveryPathMtu(PathMtu mtu) {
        LinkFaults faults = LinkFaults.loss(0.01, SEED);
        try (TestNode reader = node(5001, faults);
                TestNode target = node(5002, faults)) {
            reader.mtu = mtu;
            target.mtu = mtu;
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            int length = MIB + 77;
            MemoryRegion into = reader.register(length, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(length, AccessFlag.REMOTE_READ);
            fill(from.segment(), 1);
            assertThat(reader.read(qp, 1, into, 0, length, from.address(), from.rkey()))
                    .isZero();
            assertThat(await(reader, target).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertSame(into.segment(), 0, from.segment(), 0, length);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void shouldCompleteManyReadsInOrder(int maxReads) {
        completeManyReads(maxReads, SEED);
    }

    /**
     * With this seed the second request of a READ is lost, and the first one gets the first grant of this connection.
     */
    @Test
    void whenLaterReadsMayBeLongerThenRequestsTheSamePartsAgain() {
        completeManyReads(16, 13_314_901_190_346L);
    }

    private void completeManyReads(int maxReads, long seed) {
        LinkFaults faults = new LinkFaults(0.02, 0.02, 0.02, 0, 0.01, LinkFaults.DEFAULT_DELAY_NANOS, seed);
        try (TestNode reader = node(5001, faults);
                TestNode target = node(5002, faults)) {
            reader.maxReads = maxReads;
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            int slot = 200_000;
            int reads = 200;
            MemoryRegion into = reader.register(10L * slot, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(10L * slot, AccessFlag.REMOTE_READ);
            fill(from.segment(), 3);
            SplittableRandom random = new SplittableRandom(seed);
            int[] lengths = new int[reads];
            int posted = 0;
            for (int done = 0; done < reads; done++) {
                for (; posted < reads && posted < done + 10; posted++) {
                    lengths[posted] = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(slot);
                    long offset = posted % 10 * (long) slot;
                    assertThat(reader.read(
                                    qp, posted, into, offset, lengths[posted], from.address() + offset, from.rkey()))
                            .isZero();
                }
                TestNode.Completion completion = await(reader, target);
                assertThat(completion.status()).as("seed %d", seed).isZero();
                assertThat(completion.wrId()).isEqualTo(done);
                long offset = done % 10 * (long) slot;
                assertSame(into.segment(), offset, from.segment(), offset, lengths[done]);
            }
        }
    }

    @Test
    void shouldScatterOverSeveralBuffers() {
        try (TestNode reader = node(5001, LinkFaults.NONE);
                TestNode target = node(5002, LinkFaults.NONE)) {
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            MemoryRegion a = reader.register(5000, AccessFlag.LOCAL_WRITE);
            MemoryRegion b = reader.register(5000, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(9000, AccessFlag.REMOTE_READ);
            fill(from.segment(), 4);
            reader.sends.set(0, 1, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 4);
            reader.sends.setSge(0, 0, a.address(), 4000, a.lkey());
            reader.sends.setSge(0, 1, b.address(), 0, 0);
            reader.sends.setSge(0, 2, b.address() + 7, 4990, b.lkey());
            reader.sends.setSge(0, 3, a.address() + 4990, 10, a.lkey());
            reader.sends.setRemote(0, from.address(), from.rkey());
            reader.sends.chain(0, 1);
            assertThat(qp.postSend(reader.sends, 0)).isZero();
            assertThat(await(reader, target).status()).isZero();
            assertSame(a.segment(), 0, from.segment(), 0, 4000);
            assertSame(b.segment(), 7, from.segment(), 4000, 4990);
            assertSame(a.segment(), 4990, from.segment(), 8990, 10);
        }
    }

    @Test
    void whenUnsignaledThenOnlySignaledOnesComplete() {
        try (TestNode reader = node(5001, LinkFaults.NONE);
                TestNode target = node(5002, LinkFaults.NONE)) {
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            MemoryRegion into = reader.register(100, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(100, AccessFlag.REMOTE_READ);
            for (int i = 0; i < 10; i++) {
                reader.sends.set(i, i, SendOpcode.RDMA_READ, i == 9 ? SendFlags.SIGNALED : 0, 1);
                reader.sends.setSge(i, 0, into.address(), 100, into.lkey());
                reader.sends.setRemote(i, from.address(), from.rkey());
            }
            reader.sends.chain(0, 10);
            assertThat(qp.postSend(reader.sends, 0)).isZero();
            assertThat(await(reader, target).wrId()).isEqualTo(9);
            assertThat(reader.next()).isNull();
        }
    }

    /** A peer with a large READ must not block the small READ of another peer. */
    @Test
    void shouldServeSmallReadsAlongsideALargeOne() {
        try (TestNode large = node(5001, LinkFaults.NONE);
                TestNode small = node(5003, LinkFaults.NONE);
                TestNode target = node(5002, LinkFaults.NONE)) {
            QueuePair largeQp = large.create(QueuePairType.RC);
            QueuePair smallQp = small.create(QueuePairType.RC);
            TestNode.connect(large, largeQp, target, target.create(QueuePairType.RC));
            TestNode.connect(small, smallQp, target, target.create(QueuePairType.RC));
            MemoryRegion from = target.register(16 * MIB, AccessFlag.REMOTE_READ);
            MemoryRegion intoLarge = large.register(16 * MIB, AccessFlag.LOCAL_WRITE);
            MemoryRegion intoSmall = small.register(8, AccessFlag.LOCAL_WRITE);
            large.read(largeQp, 1, intoLarge, 0, 16 * MIB, from.address(), from.rkey());
            int smallReads = 0;
            small.read(smallQp, 2, intoSmall, 0, 8, from.address(), from.rkey());
            while (large.next() == null) {
                target.progress();
                if (small.next() != null) {
                    smallReads++;
                    small.read(smallQp, 2, intoSmall, 0, 8, from.address(), from.rkey());
                }
            }
            assertThat(smallReads).isGreaterThan(50);
        }
    }

    @Test
    void shouldReadInBothDirectionsOnOneConnection() {
        LinkFaults faults = faults(0.02, 0.02, 0.02, 0, 0);
        try (TestNode a = node(5001, faults);
                TestNode b = node(5002, faults)) {
            QueuePair qpOfA = a.create(QueuePairType.RC);
            QueuePair qpOfB = b.create(QueuePairType.RC);
            TestNode.connect(a, qpOfA, b, qpOfB);
            MemoryRegion ofA = a.register(4 * MIB, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
            MemoryRegion ofB = b.register(4 * MIB, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
            fill(ofA.segment().asSlice(0, 2 * MIB), 5);
            fill(ofB.segment().asSlice(0, 2 * MIB), 6);
            a.read(qpOfA, 1, ofA, 2 * MIB, 2 * MIB, ofB.address(), ofB.rkey());
            b.read(qpOfB, 2, ofB, 2 * MIB, 2 * MIB, ofA.address(), ofA.rkey());
            assertThat(await(a, b).status()).isZero();
            assertThat(await(b, a).status()).isZero();
            assertSame(ofA.segment(), 2 * MIB, ofB.segment(), 0, 2 * MIB);
            assertSame(ofB.segment(), 2 * MIB, ofA.segment(), 0, 2 * MIB);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.1})
    void shouldReadOverUdp(double loss) throws IOException {
        System.out.println("ReadTest seed " + SEED);
        try (TestNode reader = TestNode.overUdp(LinkFaults.loss(loss, SEED));
                TestNode target = TestNode.overUdp(LinkFaults.loss(loss, SEED + 1))) {
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            MemoryRegion into = reader.register(16 * MIB, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(16 * MIB, AccessFlag.REMOTE_READ);
            fill(from.segment(), 9);
            long start = System.nanoTime();
            reader.read(qp, 1, into, 0, 16 * MIB, from.address(), from.rkey());
            TestNode.Completion completion = await(reader, target);
            System.out.printf(
                    "READ of 16 MiB over UDP, loss %.2f: %.1f MB/s %s%n",
                    loss, 16e3 * MIB / (System.nanoTime() - start), reader.counters());
            assertThat(completion.status()).as("seed %d", SEED).isZero();
            assertSame(into.segment(), 0, from.segment(), 0, 16 * MIB);
        }
    }
}
