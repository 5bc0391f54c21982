package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SlabPoolTest {

    private static final int STRIDE = 64 + 128;

    /** The number of a block's owners, stored at its beginning. */
    private static final VarHandle OWNERS = ValueLayout.JAVA_LONG.varHandle();

    private final FakeProtectionDomain domain = new FakeProtectionDomain();
    private final MemoryBudget budget = new MemoryBudget(16 * STRIDE);
    private final SlabPool pool = new SlabPool(domain, budget, 100, 8);

    @AfterEach
    void close() {
        pool.close();
        assertThat(domain.openRegions()).isEmpty();
        assertThat(budget.registeredBytes()).isZero();
    }

    @Test
    void shouldHaveNoBlockBeforeItGrows() {
        assertThat(pool.tryAllocate()).isNull();
        assertThat(pool.tryTakeBlock()).isNull();
        assertThat(pool.statistics()).isEqualTo(MemoryStatistics.NONE);
        assertThat(pool.payloadBytes()).isEqualTo(100);
    }

    @Test
    void shouldAlignBlocksToCacheLinesWithHeadroom() {
        pool.grow();

        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            RegisteredBlock block = pool.tryTakeBlock();
            assertThat(block.address() % 64).isZero();
            assertThat(block.payloadOffset()).isEqualTo(64);
            assertThat(block.capacityBytes()).isEqualTo(100);
            assertThat(block.memory().byteSize()).isEqualTo(164);
            assertThat(block.payload().address()).isEqualTo(block.payloadAddress());
            assertThat(block.lkey()).isEqualTo(1_001);
            assertThat(block.lendable()).isFalse();
            addresses.add(block.address());
        }

        assertThat(addresses).hasSize(8);
        assertThat(pool.tryTakeBlock()).isNull();
    }

    @Test
    void shouldRegisterASlabAtATimeWithLocalWriteOnly() {
        List<MessageBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            buffers.add(pool.allocate());
        }

        assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(16 * STRIDE, 9 * STRIDE, 2, 9));
        assertThat(domain.openRegions())
                .hasSize(2)
                .allSatisfy(region -> assertThat(region.access()).containsExactly(AccessFlag.LOCAL_WRITE));
        buffers.forEach(MessageBuffer::close);
        assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(16 * STRIDE, 0, 2, 0));
    }

    @Test
    void shouldUseTheBlockFreedLastFirst() {
        MessageBuffer first = pool.allocate();
        long address = first.segment().address();
        pool.allocate();
        first.close();

        assertThat(pool.allocate().segment().address()).isEqualTo(address);
    }

    @Test
    void whenABlockIsFreeThenGrowingDoesNothing() {
        pool.grow();
        pool.grow();

        assertThat(domain.registrations()).isEqualTo(1);
    }

    @Test
    void whenTheBudgetIsUsedUpThenTheExceptionHasTheNumbers() {
        Deque<MessageBuffer> buffers = new ArrayDeque<>();
        for (int i = 0; i < 16; i++) {
            buffers.push(pool.allocate());
        }

        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(pool::allocate)
                .withMessage("Registering 1536 bytes more is over the limit: 3 KiB of 3 KiB are registered."
                        + " Close message buffers sooner or raise rdma.memory.max-size.");
        buffers.pop().close();
        pool.allocate();
    }

    @Test
    void whenRegistrationFailsThenThePoolStaysUsable() {
        domain.rejectRegistration(true);
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(pool::allocate);
        assertThat(budget.registeredBytes()).isZero();

        domain.rejectRegistration(false);
        pool.allocate().close();
    }

    @Test
    void whenABlockIsFreedTwiceThenItIsNotHandedOutTwice() {
        pool.grow();
        RegisteredBlock block = pool.tryTakeBlock();
        block.free();

        assertThatExceptionOfType(RdmaBufferStateException.class)
                .isThrownBy(block::free)
                .withMessage("The block of 100 bytes at 0x" + Long.toHexString(block.address())
                        + " was already freed. Only its owner may free it, once.");
        assertThat(pool.tryTakeBlock()).isSameAs(block);
        assertThat(pool.tryTakeBlock()).isNotSameAs(block);
    }

    @Test
    void whenClosedThenOutstandingBuffersAreHarmless() {
        MessageBuffer buffer = pool.allocate();
        MemorySegment segment = buffer.segment();

        pool.close();

        assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
        buffer.close();
        assertThat(pool.tryAllocate()).isNull();
        assertThat(pool.statistics()).isEqualTo(MemoryStatistics.NONE);
        assertThatExceptionOfType(RdmaException.class).isThrownBy(pool::grow).withMessageContaining("closed");
        pool.close();
    }

    @Test
    void shouldRejectInvalidSizes() {
        assertThatIllegalArgumentException().isThrownBy(() -> new SlabPool(domain, budget, 0, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> new SlabPool(domain, budget, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new SlabPool(domain, budget, 1, 1 << 24));
    }

    @Test
    @Timeout(60)
    void whenManyThreadsAllocateAndFreeThenNoBlockHasTwoOwners() throws Exception {
        int threads = 4;
        long seed = TestSeed.next();
        SlabPool small = new SlabPool(domain, budget, 100, 4);
        CyclicBarrier start = new CyclicBarrier(threads);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Void>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Random random = new Random(seed + t);
                results.add(executor.submit((Callable<Void>) () -> {
                    start.await();
                    small.grow();
                    takeAndFree(small, random);
                    return null;
                }));
            }
            for (Future<Void> result : results) {
                result.get();
            }
        }

        MemoryStatistics end = small.statistics();
        assertThat(end.blocksInUse()).as("seed %d", seed).isZero();
        for (int i = 0; i < 4 * end.chunks(); i++) {
            assertThat(small.tryTakeBlock())
                    .as("seed %d: a block was lost", seed)
                    .isNotNull();
        }
        assertThat(small.tryTakeBlock()).as("seed %d", seed).isNull();
        small.close();
    }

    /**
     * Allocates up to three blocks and frees them in another order, which would corrupt a list without change counts.
     */
    private static void takeAndFree(SlabPool pool, Random random) {
        Deque<RegisteredBlock> mine = new ArrayDeque<>();
        for (int i = 0; i < 300_000; i++) {
            for (int wanted = random.nextInt(4); wanted > 0; wanted--) {
                RegisteredBlock block = pool.tryTakeBlock();
                if (block != null) {
                    assertThat((long) OWNERS.getAndAdd(block.memory(), 0L, 1L)).isZero();
                    mine.add(block);
                }
            }
            while (!mine.isEmpty()) {
                RegisteredBlock block = mine.poll();
                assertThat((long) OWNERS.getAndAdd(block.memory(), 0L, -1L)).isOne();
                block.free();
            }
        }
    }
}
