package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random operations of all kinds over two connections, in both directions at once, with random path MTU, depths and
 * faults of up to 30 %. A {@link ProtocolModel} has the expected results. Every operation completes once, in order and
 * with the right bytes, or fails with the right status. More seeds: {@code -Drdma.test.protocol-seeds=10000}.
 */
@Timeout(14_400)
class ProtocolPropertyTest {

    private static final int SEEDS = Integer.getInteger("rdma.test.protocol-seeds", 20);
    private static final int CONNECTIONS = 2;

    /** Operations of each direction; a seed has four times as many, also if operations that must fail follow. */
    private static final int OPERATIONS_EACH_WAY = 125;

    private static final int MORE_WITH_FAILURES = 25;

    /**
     * Rounds of 20 µs. With the worst combination of faults an operation of 64 KiB takes several hundred thousand
     * rounds.
     */
    private static final int MAX_ROUNDS_WITHOUT_COMPLETION = 3_000_000;

    /** One run with one seed. */
    private static final class Run {
        private final SplittableRandom random;
        private final FakeClock clock = new FakeClock();
        private final Map<Integer, ProtocolModel> bySender = new HashMap<>();
        private final Map<Integer, ProtocolModel> byReceiver = new HashMap<>();
        private final List<ProtocolModel> models = new ArrayList<>();
        private final boolean mayFail;
        private int roundsWithoutCompletion;

        private Run(long seed) {
            random = new SplittableRandom(seed);
            mayFail = random.nextInt(3) == 0;
        }

        private LinkFaults randomFaults() {
            double worst = random.nextInt(4) == 0 ? 0.001 : 0.3;
            return new LinkFaults(
                    random.nextDouble(worst),
                    random.nextDouble(worst),
                    random.nextDouble(worst),
                    random.nextDouble(worst / 3),
                    random.nextDouble(worst / 2),
                    random.nextLong(3_000_000),
                    random.nextLong());
        }

        private void run() {
            MemoryNetwork network = new MemoryNetwork();
            LinkFaults faults = randomFaults();
            try (TestNode a = node(network, 5001, faults);
                    TestNode b = node(network, 5002, faults)) {
                a.mtu = b.mtu = PathMtu.of(1 + random.nextInt(5));
                for (int i = 0; i < CONNECTIONS; i++) {
                    connect(a, b);
                }
                while (!models.stream().allMatch(ProtocolModel::isOver)) {
                    models.forEach(model -> model.maybePost(mayFail, OPERATIONS_EACH_WAY));
                    take(a);
                    take(b);
                    clock.advanceMicros(random.nextInt(40));
                    assertThat(++roundsWithoutCompletion < MAX_ROUNDS_WITHOUT_COMPLETION)
                            .as("makes progress: %s %s", a.counters(), b.counters())
                            .isTrue();
                }
                checkEnd(a, b);
            }
        }

        private TestNode node(MemoryNetwork network, int port, LinkFaults faults) {
            TestNode node = TestNode.inMemory(network, port, faults, clock);
            node.maxReads = 1 + random.nextInt(16);
            node.rnrTimer = 1 + random.nextInt(16);
            return node;
        }

        private void connect(TestNode a, TestNode b) {
            QueuePair qpOfA = a.create(QueuePairType.RC);
            QueuePair qpOfB = b.create(QueuePairType.RC);
            TestNode.connect(a, qpOfA, b, qpOfB);
            int operations = OPERATIONS_EACH_WAY + (mayFail ? MORE_WITH_FAILURES : 0);
            ProtocolModel oneWay = new ProtocolModel(a, qpOfA, b, qpOfB, operations, random.split());
            ProtocolModel otherWay = new ProtocolModel(b, qpOfB, a, qpOfA, operations, random.split());
            oneWay.otherWay(otherWay);
            otherWay.otherWay(oneWay);
            models.add(oneWay);
            models.add(otherWay);
            // Each node numbers its queue pairs independently.
            bySender.put(key(a, qpOfA.number()), oneWay);
            bySender.put(key(b, qpOfB.number()), otherWay);
            byReceiver.put(key(b, qpOfB.number()), oneWay);
            byReceiver.put(key(a, qpOfA.number()), otherWay);
        }

        private static int key(TestNode node, int qpn) {
            return qpn << 1 | (node.port() & 1);
        }

        private void take(TestNode node) {
            for (TestNode.Completion completion = node.next(); completion != null; completion = node.next()) {
                int key = key(node, completion.qpn());
                roundsWithoutCompletion = 0;
                if (completion.opcode() >= CompletionOpcode.RECV) {
                    Objects.requireNonNull(byReceiver.get(key)).onReceiveCompletion(completion);
                } else {
                    Objects.requireNonNull(bySender.get(key)).onSendCompletion(completion);
                }
            }
        }

        private void checkEnd(TestNode a, TestNode b) {
            for (ProtocolModel model : models) {
                if (!model.hasFailed()) {
                    model.checkMemory();
                }
            }
            for (TestNode node : List.of(a, b)) {
                assertThat(node.context.rnic().readWindow().usedBytes()).isZero();
                assertThat(node.context.rnic().sendWindow().usedBytes()).isZero();
                assertThat(node.next()).isNull();
            }
        }
    }

    @Test
    void shouldBehaveLikeTheModel() {
        long first = TestSeed.next();
        System.out.println("ProtocolPropertyTest seeds from " + first + ", " + SEEDS);
        for (long seed = first; seed < first + SEEDS; seed++) {
            try {
                new Run(seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Drdma.test.protocol-seeds=1 -Drdma.test.seed=" + seed, e);
            }
        }
    }
}
