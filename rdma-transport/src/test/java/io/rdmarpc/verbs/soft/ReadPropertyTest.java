package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random READs in both directions at once over one connection, with random path MTU, depth and faults of up to 30 %.
 * Each completes once, in order, with the right bytes. More seeds: {@code -Drdma.test.seeds=1000}.
 */
@Timeout(600)
class ReadPropertyTest {

    private static final int SEEDS = Integer.getInteger("rdma.test.seeds", 25);
    private static final int READS = 20;
    private static final int DEPTH = 4;
    private static final int LENGTH = 1 << 18;
    private static final int MANY_ROUNDS = 5_000_000;

    /** One end with its memory, its READs, and its progress. */
    private static final class End implements AutoCloseable {
        private final TestNode node;
        private final QueuePair qp;
        private final MemoryRegion source;
        private final MemoryRegion target;
        private final int[] lengths = new int[READS];
        private final long[] offsets = new long[READS];
        private int posted;
        private int done;

        private End(TestNode node, SplittableRandom random) {
            this.node = node;
            node.maxReads = 1 + random.nextInt(16);
            qp = node.create(QueuePairType.RC);
            source = node.register(LENGTH, AccessFlag.REMOTE_READ);
            target = node.register((long) DEPTH * LENGTH, AccessFlag.LOCAL_WRITE);
            for (long at = 0; at < LENGTH; at += Long.BYTES) {
                source.segment().set(ValueLayout.JAVA_LONG, at, random.nextLong());
            }
        }

        private long slot(int read) {
            return (long) (read % DEPTH) * LENGTH;
        }

        private void post(End peer, SplittableRandom random) {
            int length = random.nextInt(3) == 0 ? random.nextInt(3) : random.nextInt(LENGTH);
            lengths[posted] = length;
            offsets[posted] = random.nextInt(LENGTH - length + 1);
            long from = peer.source.address() + offsets[posted];
            assertThat(node.read(qp, posted, target, slot(posted), length, from, peer.source.rkey()))
                    .isZero();
            posted++;
        }

        private void check(TestNode.Completion completion, End peer) {
            assertThat(completion.status()).isZero();
            assertThat(completion.wrId()).isEqualTo(done);
            int length = lengths[done];
            long at = slot(done);
            long from = offsets[done];
            assertThat(MemorySegment.mismatch(
                            target.segment(), at, at + length, peer.source.segment(), from, from + length))
                    .isEqualTo(-1);
            done++;
        }

        private void step(End peer, SplittableRandom random) {
            if (posted < READS && posted < done + DEPTH && random.nextInt(3) == 0) {
                post(peer, random);
            }
            TestNode.Completion completion = node.next();
            if (completion != null) {
                check(completion, peer);
            }
        }

        @Override
        public void close() {
            node.close();
        }
    }

    private static LinkFaults randomFaults(SplittableRandom random) {
        return new LinkFaults(
                random.nextDouble(0.3),
                random.nextDouble(0.3),
                random.nextDouble(0.3),
                random.nextDouble(0.1),
                random.nextDouble(0.2),
                random.nextLong(3_000_000),
                random.nextLong());
    }

    private static void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        MemoryNetwork network = new MemoryNetwork();
        FakeClock clock = new FakeClock();
        LinkFaults faults = randomFaults(random);
        try (End a = new End(TestNode.inMemory(network, 5001, faults, clock), random);
                End b = new End(TestNode.inMemory(network, 5002, faults, clock), random)) {
            a.node.mtu = b.node.mtu = PathMtu.of(1 + random.nextInt(5));
            TestNode.connect(a.node, a.qp, b.node, b.qp);
            int rounds = 0;
            while (a.done < READS || b.done < READS) {
                a.step(b, random);
                b.step(a, random);
                clock.advanceMicros(random.nextInt(40));
                assertThat(++rounds < MANY_ROUNDS).as("ends in time").isTrue();
            }
            assertThat(a.node.context.rnic().readWindow().usedBytes()).isZero();
            assertThat(b.node.context.rnic().readWindow().usedBytes()).isZero();
        }
    }

    @Test
    void shouldCompleteEveryReadOnceInOrderWithTheRightBytes() {
        long first = TestSeed.next();
        System.out.println("ReadPropertyTest seeds from " + first + ", " + SEEDS);
        for (long seed = first; seed < first + SEEDS; seed++) {
            try {
                run(seed);
            } catch (AssertionError e) {
                throw new AssertionError("-Drdma.test.seeds=1 -Drdma.test.seed=" + seed, e);
            }
        }
    }
}
