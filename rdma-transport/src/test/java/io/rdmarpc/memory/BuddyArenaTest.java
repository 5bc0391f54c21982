package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BuddyArenaTest {

    private static final int KIB = 1 << 10;
    private static final BuddyArenaConfig CONFIG = new BuddyArenaConfig(4 * KIB, 64 * KIB, 256 * KIB);

    private final FakeProtectionDomain domain = new FakeProtectionDomain();
    private final MemoryBudget budget = new MemoryBudget(512 * KIB);
    private final BuddyArena arena = new BuddyArena(domain, budget, CONFIG);

    @AfterEach
    void close() {
        arena.close();
        assertThat(domain.openRegions()).isEmpty();
        assertThat(budget.registeredBytes()).isZero();
    }

    @Test
    void shouldRegisterNothingBeforeItIsUsed() {
        assertThat(arena.tryAllocate(1)).isNull();
        assertThat(arena.tryTakeBlock(1)).isNull();
        assertThat(arena.statistics()).isEqualTo(MemoryStatistics.NONE);
        assertThat(domain.registrations()).isZero();
    }

    @Test
    void shouldGrowByAChunkWithLocalWriteOnly() {
        MessageBuffer buffer = arena.allocate(5_000);

        assertThat(buffer.capacity()).isEqualTo(8 * KIB);
        assertThat(arena.statistics()).isEqualTo(new MemoryStatistics(64 * KIB, 8 * KIB, 1, 1));
        assertThat(domain.openRegions())
                .singleElement()
                .satisfies(region -> assertThat(region.access()).containsExactly(AccessFlag.LOCAL_WRITE));

        buffer.close();
        assertThat(arena.statistics()).isEqualTo(new MemoryStatistics(64 * KIB, 0, 1, 0));
    }

    @Test
    void shouldDescribeABlockByItsOffsetInTheChunk() {
        arena.grow(1);
        RegisteredBlock first = arena.tryTakeBlock(4 * KIB);
        RegisteredBlock second = arena.tryTakeBlock(4 * KIB);

        assertThat(second.address()).isEqualTo(first.address() + 4 * KIB);
        assertThat(second.payloadAddress()).isEqualTo(second.address());
        assertThat(second.memory()).isEqualTo(second.payload());
        assertThat(second.payloadOffset()).isZero();
        assertThat(second.capacityBytes()).isEqualTo(4 * KIB);
        assertThat(second.lkey()).isEqualTo(1_001);
        assertThat(second.rkey()).isEqualTo(2_001);
        assertThat(second.lendable()).isFalse();
        first.free();
        second.free();
    }

    @Test
    void whenARequestIsLargerThanAChunkThenItGetsAChunkOfItsOwnSize() {
        try (MessageBuffer buffer = arena.allocate(150 * KIB)) {
            assertThat(buffer.capacity()).isEqualTo(256 * KIB);
            assertThat(arena.statistics().registeredBytes()).isEqualTo(256 * KIB);
        }
    }

    @Test
    void whenThereIsRoomThenGrowingDoesNothing() {
        arena.grow(1);
        arena.grow(64 * KIB);

        assertThat(domain.registrations()).isEqualTo(1);
    }

    @Test
    void shouldRejectSizesItNeverAllocates() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> arena.allocate(256 * KIB + 1))
                .withMessage("message of 262145 bytes: the arena allocates 0 to 262144");
        assertThatIllegalArgumentException().isThrownBy(() -> arena.tryAllocate(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> arena.grow(Integer.MAX_VALUE));
    }

    @Test
    void whenRegistrationFailsThenTheArenaStaysUsable() {
        MessageBuffer kept = arena.allocate(64 * KIB);
        domain.rejectRegistration(true);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> arena.allocate(1))
                .satisfies(failure -> assertThat(failure.errno()).isEqualTo(Errno.ENOMEM));
        assertThat(budget.registeredBytes()).isEqualTo(64 * KIB);
        assertThat(arena.statistics()).isEqualTo(new MemoryStatistics(64 * KIB, 64 * KIB, 1, 1));

        kept.close();
        arena.allocate(64 * KIB).close();
        domain.rejectRegistration(false);
        arena.allocate(256 * KIB).close();
    }

    @Test
    void whenTheBudgetIsUsedUpThenTheExceptionHasTheNumbersAndTheSetting() {
        MessageBuffer first = arena.allocate(256 * KIB);
        MessageBuffer second = arena.allocate(64 * KIB);

        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(() -> arena.allocate(256 * KIB))
                .withMessage("Registering 256 KiB more is over the limit: 320 KiB of 512 KiB are registered."
                        + " Close message buffers sooner or raise rdma.memory.max-size.")
                .satisfies(full -> {
                    assertThat(full.askedBytes()).isEqualTo(256 * KIB);
                    assertThat(full.inUseBytes()).isEqualTo(320 * KIB);
                    assertThat(full.limitBytes()).isEqualTo(512 * KIB);
                    assertThat(full.property()).isEqualTo("rdma.memory.max-size");
                });
        assertThat(arena.tryAllocate(256 * KIB)).isNull();

        first.close();
        arena.allocate(256 * KIB).close();
        second.close();
    }

    @Test
    void whenSmallFreeChunksFillTheBudgetThenTheyAreReleasedForALargeOne() {
        List<MessageBuffer> small = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            small.add(arena.allocate(64 * KIB));
        }
        small.forEach(MessageBuffer::close);

        arena.allocate(256 * KIB).close();

        assertThat(arena.statistics()).isEqualTo(new MemoryStatistics(256 * KIB, 0, 1, 0));
    }

    @Test
    void shouldTrimUnusedChunksExceptTheSmallest() {
        MessageBuffer large = arena.allocate(256 * KIB);
        MessageBuffer used = arena.allocate(64 * KIB);
        MessageBuffer unused = arena.allocate(64 * KIB);
        assertThat(arena.trim()).isZero();
        large.close();
        unused.close();

        assertThat(arena.trim()).isEqualTo(256 * KIB);

        assertThat(arena.statistics()).isEqualTo(new MemoryStatistics(128 * KIB, 64 * KIB, 2, 1));
        assertThat(domain.openRegions()).hasSize(2);
        used.close();
    }

    @Test
    void whenDeregistrationFailsThenTheMemoryIsKept() {
        MessageBuffer buffer = arena.allocate(256 * KIB);
        MemorySegment segment = buffer.segment();
        arena.grow(256 * KIB);
        buffer.close();
        domain.rejectDeregistration(true);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(arena::close)
                .withMessageContaining("ibv_dereg_mr on fake0 failed: errno 16")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));

        assertThat(segment.scope().isAlive()).isTrue();
        assertThat(budget.registeredBytes()).isEqualTo(512 * KIB);
        domain.rejectDeregistration(false);
        domain.openRegions().forEach(MemoryRegion::close);
        budget.release(512 * KIB);
    }

    @Test
    void whenClosedThenOutstandingBuffersAreHarmless() {
        MessageBuffer buffer = arena.allocate(100);
        MemorySegment segment = buffer.segment();
        ByteBuffer bytes = buffer.byteBuffer();

        arena.close();

        assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
        assertThatIllegalStateException().isThrownBy(() -> bytes.put(0, (byte) 1));
        buffer.close();
        assertThatExceptionOfType(RdmaBufferStateException.class).isThrownBy(buffer::close);
        assertThat(arena.tryAllocate(1)).isNull();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> arena.allocate(1))
                .withMessageContaining("closed");
        assertThat(arena.statistics()).isEqualTo(MemoryStatistics.NONE);
        arena.close();
    }

    @Test
    void whenABlockIsFreedTwiceThenTheSecondCallFails() {
        arena.grow(1);
        RegisteredBlock block = arena.tryTakeBlock(1);
        block.free();
        RegisteredBlock next = arena.tryTakeBlock(1);
        assertThat(next.address()).isEqualTo(block.address());

        assertThatExceptionOfType(RdmaBufferStateException.class)
                .isThrownBy(block::free)
                .withMessageContaining("already freed");

        assertThat(arena.statistics().blocksInUse()).isEqualTo(1);
        next.free();
    }

    @Test
    void whenEverythingIsFreedInRandomOrderThenAllIsMerged() {
        long seed = TestSeed.next();
        Random random = new Random(seed);
        List<MessageBuffer> open = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            MessageBuffer buffer = random.nextBoolean() ? tryOrGrow(random.nextInt(32 * KIB)) : null;
            if (buffer != null) {
                open.add(buffer);
            } else if (!open.isEmpty()) {
                open.remove(random.nextInt(open.size())).close();
            }
        }
        open.forEach(MessageBuffer::close);

        arena.trim();

        assertThat(arena.statistics()).as("seed %d", seed).isEqualTo(new MemoryStatistics(64 * KIB, 0, 1, 0));
        assertThat(arena.tryAllocate(64 * KIB)).as("seed %d", seed).isNotNull();
    }

    private MessageBuffer tryOrGrow(int bytes) {
        try {
            return arena.allocate(bytes);
        } catch (RdmaMemoryExhaustedException full) {
            return null;
        }
    }

    @Test
    @Timeout(30)
    void whenManyThreadsAllocateThenNoTwoShareMemory() throws Exception {
        int threads = 4;
        long seed = TestSeed.next();
        CyclicBarrier start = new CyclicBarrier(threads);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Void>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Random random = new Random(seed + t);
                results.add(executor.submit((Callable<Void>) () -> {
                    start.await();
                    for (int i = 0; i < 5_000; i++) {
                        writeAndCheck(arena.allocate(random.nextInt(16 * KIB)), random.nextLong());
                        if (i % 100 == 0) {
                            arena.trim();
                        }
                    }
                    return null;
                }));
            }
            for (Future<Void> result : results) {
                result.get();
            }
        }
        assertThat(arena.statistics().inUseBytes()).isZero();
        assertThat(arena.statistics().blocksInUse()).isZero();
    }

    private static void writeAndCheck(MessageBuffer buffer, long mark) {
        try (buffer) {
            MemorySegment memory = buffer.segment();
            long last = memory.byteSize() - Long.BYTES;
            memory.set(ValueLayout.JAVA_LONG, 0, mark);
            memory.set(ValueLayout.JAVA_LONG, last, mark);
            Thread.onSpinWait();
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(mark);
            assertThat(memory.get(ValueLayout.JAVA_LONG, last)).isEqualTo(mark);
        }
    }

    @Test
    @Timeout(10)
    void whenAnotherThreadRegistersThenTryAllocateDoesNotWait() {
        arena.grow(1);
        List<MessageBuffer> results = new ArrayList<>();
        domain.beforeRegistering(() -> {
            Thread other = Thread.ofPlatform().start(() -> results.add(arena.tryAllocate(4 * KIB)));
            joinUninterruptibly(other);
        });

        arena.allocate(256 * KIB).close();

        assertThat(results).singleElement().isNotNull();
        results.getFirst().close();
    }

    private static void joinUninterruptibly(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldCheckItsSizes() {
        assertThatIllegalArgumentException().isThrownBy(() -> new BuddyArenaConfig(3, 8, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> new BuddyArenaConfig(16, 8, 16));
        assertThatIllegalArgumentException().isThrownBy(() -> CONFIG.withMaxBlockBytes((1 << 30) + 1));
        assertThat(CONFIG.withMaxBlockBytes(100_000).maxBlockBytes()).isEqualTo(128 * KIB);
        assertThat(CONFIG.withMaxBlockBytes(1).maxBlockBytes()).isEqualTo(4 * KIB);
        assertThat(CONFIG.withMaxBlockBytes(1 << 30).maxBlockBytes()).isEqualTo(1 << 30);
    }
}
