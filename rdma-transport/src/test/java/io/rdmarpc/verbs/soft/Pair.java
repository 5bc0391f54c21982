package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Two ends in memory, each with a connected queue pair and one region, and a clock that advances while they wait. */
final class Pair implements AutoCloseable {

    static final int STEP_MICROS = 20;

    private static final int MANY_ROUNDS = 2_000_000;

    final FakeClock clock = new FakeClock();
    final MemoryNetwork network = new MemoryNetwork();
    final TestNode a;
    final TestNode b;
    QueuePair qpOfA;
    QueuePair qpOfB;
    final MemoryRegion ofA;
    final MemoryRegion ofB;

    private Pair(Function<Pair, TestNode> first, Function<Pair, TestNode> second, long bytes) {
        a = first.apply(this);
        b = second.apply(this);
        ofA = everythingAllowed(a, bytes);
        ofB = everythingAllowed(b, bytes);
        fill(ofA.segment(), 11);
        fill(ofB.segment(), 22);
        qpOfA = a.create(QueuePairType.RC);
        qpOfB = b.create(QueuePairType.RC);
    }

    /** Creates two ends, not yet connected. */
    static Pair with(LinkFaults faults, long bytes) {
        return with(faults, faults, bytes);
    }

    /** Creates two ends, not yet connected, each with separate faults for its sent packets. */
    static Pair with(LinkFaults ofA, LinkFaults ofB, long bytes) {
        return new Pair(
                pair -> TestNode.inMemory(pair.network, 5001, ofA, pair.clock),
                pair -> TestNode.inMemory(pair.network, 5002, ofB, pair.clock),
                bytes);
    }

    /** Creates two ends with wrapped links. */
    static Pair over(UnaryOperator<PacketLink> linkOfA, UnaryOperator<PacketLink> linkOfB, long bytes) {
        return new Pair(
                pair -> new TestNode(linkOfA.apply(pair.network.link(TestNode.LOOPBACK_IP, 5001)), pair.clock),
                pair -> new TestNode(linkOfB.apply(pair.network.link(TestNode.LOOPBACK_IP, 5002)), pair.clock),
                bytes);
    }

    static MemoryRegion everythingAllowed(TestNode node, long bytes) {
        return node.register(
                bytes,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_ATOMIC);
    }

    static void fill(MemorySegment segment, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long at = 0; at + Long.BYTES <= segment.byteSize(); at += Long.BYTES) {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    Pair connect() {
        TestNode.connect(a, qpOfA, b, qpOfB);
        return this;
    }

    /** Replaces the queue pairs by queue pairs of another type. */
    Pair connect(QueuePairType type) {
        qpOfA.close();
        qpOfB.close();
        qpOfA = a.create(type);
        qpOfB = b.create(type);
        if (type == QueuePairType.UD) {
            a.toSend(qpOfA);
            b.toSend(qpOfB);
            return this;
        }
        return connect();
    }

    TestNode.Completion awaitA() {
        return await(a, b);
    }

    TestNode.Completion awaitB() {
        return await(b, a);
    }

    private TestNode.Completion await(TestNode of, TestNode other) {
        for (int round = 0; round < MANY_ROUNDS; round++) {
            TestNode.Completion completion = of.next();
            if (completion != null) {
                return completion;
            }
            other.progress();
            clock.advanceMicros(STEP_MICROS);
        }
        throw new AssertionError("no completion: " + a.counters() + ", " + b.counters());
    }

    /** Runs both ends for a time. */
    void run(long micros) {
        for (long passed = 0; passed < micros; passed += STEP_MICROS) {
            a.progress();
            b.progress();
            clock.advanceMicros(STEP_MICROS);
        }
    }

    static String status(TestNode.Completion completion) {
        return CompletionStatus.describe(completion.status());
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}
