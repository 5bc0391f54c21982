package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare-and-swap and fetch-and-add: each executed once, whatever is lost or duplicated. */
@Timeout(120)
class AtomicTest {

    private static final long SEED = System.nanoTime();

    private static long cell(MemoryRegion region, long offset) {
        return region.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    @Test
    void shouldSwapOnlyWhatIsExpected() {
        try (Pair pair = Pair.with(LinkFaults.NONE, 64).connect()) {
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, 8, 0x0102_0304_0506_0708L);
            pair.a.compareAndSwap(pair.qpOfA, 1, pair.ofA, 0, Remote.of(pair.ofB, 8), 5, 6);
            TestNode.Completion completion = pair.awaitA();
            assertThat(Pair.status(completion)).isEqualTo("SUCCESS (0)");
            assertThat(completion.opcode()).isEqualTo(CompletionOpcode.COMP_SWAP);
            assertThat(completion.byteLength()).isEqualTo(8);
            assertThat(cell(pair.ofA, 0)).isEqualTo(0x0102_0304_0506_0708L);
            assertThat(cell(pair.ofB, 8)).isEqualTo(0x0102_0304_0506_0708L);
            pair.a.compareAndSwap(pair.qpOfA, 2, pair.ofA, 0, Remote.of(pair.ofB, 8), 0x0102_0304_0506_0708L, -6);
            pair.awaitA();
            assertThat(cell(pair.ofA, 0)).isEqualTo(0x0102_0304_0506_0708L);
            assertThat(cell(pair.ofB, 8)).isEqualTo(-6);
        }
    }

    @Test
    void shouldAddAndWrap() {
        try (Pair pair = Pair.with(LinkFaults.NONE, 64).connect()) {
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, 0, Long.MAX_VALUE);
            pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 16, Remote.of(pair.ofB, 0), 3);
            assertThat(pair.awaitA().opcode()).isEqualTo(CompletionOpcode.FETCH_ADD);
            assertThat(cell(pair.ofA, 16)).isEqualTo(Long.MAX_VALUE);
            assertThat(cell(pair.ofB, 0)).isEqualTo(Long.MIN_VALUE + 2);
        }
    }

    @Test
    void shouldScatterTheValueFound() {
        try (Pair pair = Pair.with(LinkFaults.NONE, 64).connect()) {
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, 0, 0x1122_3344_5566_7788L);
            pair.a.sends.set(0, 1, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, 2);
            pair.a.sends.setSge(0, 0, pair.ofA.address() + 3, 3, pair.ofA.lkey());
            pair.a.sends.setSge(0, 1, pair.ofA.address() + 20, 5, pair.ofA.lkey());
            pair.a.sends.setFetchAndAdd(0, pair.ofB.address(), pair.ofB.rkey(), 0);
            pair.a.sends.chain(0, 1);
            assertThat(pair.qpOfA.postSend(pair.a.sends, 0)).isZero();
            pair.awaitA();
            MemorySegment found = pair.ofB.segment();
            MemorySegment into = pair.ofA.segment();
            assertThat(MemorySegment.mismatch(into, 3, 6, found, 0, 3)).isEqualTo(-1);
            assertThat(MemorySegment.mismatch(into, 20, 25, found, 3, 8)).isEqualTo(-1);
        }
    }

    /** The original values are 0, 1, 2 ...: none was skipped, none was added twice. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void shouldAddExactlyOnceUnderLossAndRepetition(int maxReads) {
        System.out.println("AtomicTest seed " + SEED);
        LinkFaults faults = new LinkFaults(0.2, 0.2, 0.2, 0.05, 0.05, 500_000, SEED);
        try (Pair pair = Pair.with(faults, 4096)) {
            pair.a.maxReads = maxReads;
            pair.connect();
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, 0, 0);
            int posted = 0;
            for (int done = 0; done < 500; done++) {
                for (; posted < 500 && posted < done + 20; posted++) {
                    long into = posted % 32 * 8L;
                    assertThat(pair.a.fetchAndAdd(pair.qpOfA, posted, pair.ofA, into, Remote.of(pair.ofB, 0), 1))
                            .isZero();
                }
                TestNode.Completion completion = pair.awaitA();
                assertThat(Pair.status(completion)).as("seed %d", SEED).isEqualTo("SUCCESS (0)");
                assertThat(completion.wrId()).isEqualTo(done);
                assertThat(cell(pair.ofA, done % 32 * 8L)).as("seed %d", SEED).isEqualTo(done);
            }
            assertThat(cell(pair.ofB, 0)).isEqualTo(500);
            assertThat(pair.a.counters().retries()).isPositive();
        }
    }

    /** This process and a peer add to the same cell concurrently. */
    @Test
    void shouldBeAtomicAgainstTheThreadsOfThisProcess() throws Exception {
        int local = 200_000;
        int remote = 2000;
        VarHandle handle = ValueLayout.JAVA_LONG.varHandle();
        try (TestNode a = TestNode.overUdp(LinkFaults.NONE);
                TestNode b = TestNode.overUdp(LinkFaults.NONE);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            QueuePair qp = a.create(QueuePairType.RC);
            TestNode.connect(a, qp, b, b.create(QueuePairType.RC));
            MemoryRegion ofA = Pair.everythingAllowed(a, 8);
            MemoryRegion ofB = Pair.everythingAllowed(b, 8);
            Future<?> adding = thread.submit(() -> {
                for (int i = 0; i < local; i++) {
                    handle.getAndAdd(ofB.segment(), 0L, 1L);
                }
            });
            for (int i = 0; i < remote; i++) {
                a.fetchAndAdd(qp, i, ofA, 0, Remote.of(ofB, 0), 1L << 32);
                awaitBoth(a, b);
            }
            adding.get();
            assertThat(cell(ofB, 0)).isEqualTo(((long) remote << 32) + local);
        }
    }

    private static void awaitBoth(TestNode a, TestNode b) {
        TestNode.Completion completion = a.next();
        while (completion == null) {
            b.progress();
            completion = a.next();
        }
        assertThat(completion.status()).isZero();
    }
}
