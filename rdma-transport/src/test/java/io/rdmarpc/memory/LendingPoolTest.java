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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LendingPoolTest {

    private static final int KIB = 1 << 10;

    private final FakeProtectionDomain domain = new FakeProtectionDomain();
    private final MemoryBudget process = new MemoryBudget(10_000 * KIB);
    private final MemoryBudget budget = process.child(512 * KIB, "rdma.memory.max-lent-per-session");
    private final List<Runnable> blockingSteps = new ArrayList<>();
    private boolean rejectsSteps;
    private final LendingPool pool = new LendingPool(domain, budget, this::later);

    @BeforeEach
    void keysAreRenewedWithoutBlocking() {
        domain.renewKeys(true);
    }

    private void later(Runnable step) {
        if (rejectsSteps) {
            throw new RejectedExecutionException("a test");
        }
        blockingSteps.add(step);
    }

    private void runBlockingSteps() {
        List<Runnable> steps = List.copyOf(blockingSteps);
        blockingSteps.clear();
        steps.forEach(Runnable::run);
    }

    @AfterEach
    void everythingIsReleased() {
        pool.close();
        assertThat(domain.openRegions()).isEmpty();
        assertThat(process.registeredBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "0,64",
        "1,64",
        "65536,64",
        "65537,80",
        "81920,80",
        "81921,96",
        "114689,128",
        "131072,128",
        "131073,160",
        "1000000,1024",
        "1048577,1280",
        "1073741824,1048576"
    })
    void shouldRoundUpInQuarterSteps(int bytes, int kib) {
        assertThat(LendingPool.roundUp(bytes)).isEqualTo(kib * KIB);
    }

    @Test
    void shouldRegisterEachBlockAsAReadOnlyRegionOfItsOwn() {
        RegisteredBlock first = pool.allocate(1).take();
        RegisteredBlock second = pool.allocate(70_000).take();

        assertThat(first.lendable()).isTrue();
        assertThat(first.rkey()).isNotEqualTo(second.rkey());
        assertThat(first.payloadOffset()).isZero();
        assertThat(second.capacityBytes()).isEqualTo(80 * KIB);
        assertThat(domain.openRegions())
                .hasSize(2)
                .allSatisfy(region -> assertThat(region.access()).containsExactly(AccessFlag.REMOTE_READ))
                .anySatisfy(region -> assertThat(region.segment()).isEqualTo(second.memory()));
        first.free();
        second.free();
    }

    @Test
    void shouldDistinguishItsOwnBlocksFromThoseOfAnotherPeer() {
        try (LendingPool other = new LendingPool(domain, process, Runnable::run)) {
            RegisteredBlock own = pool.allocate(1).take();
            RegisteredBlock foreign = other.allocate(1).take();

            assertThat(pool.owns(own)).isTrue();
            assertThat(pool.owns(foreign)).isFalse();
            own.free();
            foreign.free();
        }
    }

    @Test
    void shouldStartWithZeros() {
        try (MessageBuffer buffer = pool.allocate(100)) {
            assertThat(buffer.segment().mismatch(MemorySegment.ofArray(new byte[64 * KIB])))
                    .isEqualTo(-1);
        }
    }

    private long use(int bytes) {
        try (MessageBuffer buffer = pool.allocate(bytes)) {
            return buffer.segment().address();
        }
    }

    @Test
    void whenABlockIsFreedThenItsKeyIsInvalid() {
        RegisteredBlock first = pool.allocate(1).take();
        int key = first.rkey();
        first.free();

        assertThat(domain.isValidKey(key)).isFalse();
        RegisteredBlock again = pool.allocate(1).take();
        assertThat(again.address()).isEqualTo(first.address());
        assertThat(again.rkey()).isNotEqualTo(key);
        assertThat(domain.isValidKey(again.rkey())).isTrue();
        assertThat(domain.registrations()).isEqualTo(1);
        again.free();
    }

    @Test
    void whenAFreedBlockIsStillViewedThenItsKeyIsInvalidAtOnce() {
        RegisteredBlock seen = pool.allocate(1).take();
        int key = seen.rkey();
        domain.view(key, true);
        seen.free();

        assertThat(domain.isValidKey(key)).isFalse();
    }

    @Test
    void whenTheDeviceCannotChangeAKeyThenTheExecutorRegistersTheBlockAgainBeforeItIsUsed() {
        domain.renewKeys(false);
        RegisteredBlock first = pool.allocate(1).take();
        int key = first.rkey();
        first.free();

        assertThat(domain.registrations()).as("by the thread that frees it").isEqualTo(1);
        assertThat(pool.tryAllocate(1))
                .as("a block that the peer can still READ")
                .isNull();
        runBlockingSteps();
        assertThat(domain.isValidKey(key)).isFalse();
        RegisteredBlock again = pool.allocate(1).take();
        assertThat(again.address()).isEqualTo(first.address());
        assertThat(again.rkey()).isNotEqualTo(key);
        assertThat(domain.registrations()).isEqualTo(2);
        again.free();
    }

    @Test
    void whenTheBudgetIsUsedUpThenABlockThatWaitsForItsKeyIsRegisteredByTheThreadThatNeedsIt() {
        domain.renewKeys(false);
        pool.allocate(512 * KIB).close();

        RegisteredBlock again = pool.allocate(512 * KIB).take();
        assertThat(domain.registrations()).isEqualTo(2);
        again.free();
        runBlockingSteps();
    }

    @Test
    void whenABlockCannotBeRegisteredAgainThenItsMemoryIsFreed() {
        domain.renewKeys(false);
        pool.allocate(1).close();
        domain.rejectRegistration(true);
        runBlockingSteps();

        assertThat(domain.openRegions()).isEmpty();
        assertThat(process.registeredBytes()).isZero();
        assertThat(pool.statistics().chunks()).isZero();
    }

    @Test
    void whenThePoolIsClosedBeforeAFreedBlockIsRegisteredAgainThenItsKeyIsInvalidAndItsMemoryIsFreed() {
        domain.renewKeys(false);
        pool.allocate(1).close();
        pool.close();

        assertThat(domain.openRegions()).isEmpty();
        assertThat(process.registeredBytes()).isZero();
        runBlockingSteps();
        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void whenTheExecutorIsClosedThenThePoolStillInvalidatesTheKey() {
        domain.renewKeys(false);
        rejectsSteps = true;
        pool.allocate(1).close();
        pool.revoke();

        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void whenTwoBlocksAreFreeThenTheyAlternate() {
        MessageBuffer first = pool.allocate(64 * KIB);
        MessageBuffer second = pool.allocate(64 * KIB);
        MessageBuffer cold = pool.allocate(64 * KIB);
        long a = first.segment().address();
        long b = second.segment().address();
        cold.close();
        first.close();
        second.close();

        for (int i = 0; i < 5; i++) {
            assertThat(use(64 * KIB)).isEqualTo(a);
            assertThat(use(64 * KIB)).isEqualTo(b);
        }
    }

    private RegisteredBlock giveBackWhileViewed() {
        RegisteredBlock block = pool.allocate(64 * KIB).take();
        domain.view(block.rkey(), true);
        block.free();
        return block;
    }

    @Test
    void whileThePeerViewsABlockThenItIsNotReused() {
        RegisteredBlock seen = giveBackWhileViewed();

        assertThat(pool.tryAllocate(64 * KIB)).isNull();
        assertThat(use(64 * KIB)).isNotEqualTo(seen.address());
        assertThat(pool.statistics().blocksInUse()).isOne();
    }

    @Test
    void whenThePeerNoLongerViewsABlockThenItIsReused() {
        RegisteredBlock seen = giveBackWhileViewed();
        domain.view(seen.rkey(), false);

        assertThat(use(64 * KIB)).isEqualTo(seen.address());
        assertThat(pool.statistics().blocksInUse()).isZero();
    }

    @Test
    void whenRetiredThenNoBlockIsReusedAndKeysStayValidUntilItIsClosed() {
        MessageBuffer out = pool.allocate(64 * KIB);
        pool.allocate(64 * KIB).close();
        pool.retire();

        assertThat(pool.tryAllocate(64 * KIB)).isNull();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> pool.allocate(64 * KIB))
                .withMessageContaining("its session has ended");
        out.close();
        assertThat(pool.tryAllocate(64 * KIB)).isNull();
        assertThat(domain.openRegions()).hasSize(2);
        pool.close();
        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void whenTrimmedThenBlocksThatThePeerNoLongerViewsAreReleased() {
        RegisteredBlock seen = giveBackWhileViewed();
        assertThat(pool.trim(0)).isZero();
        domain.view(seen.rkey(), false);

        assertThat(pool.trim(0)).isEqualTo(64 * KIB);
        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void whenClosedThenBlocksThatThePeerViewsAreReleasedAsWell() {
        giveBackWhileViewed();

        pool.close();

        assertThat(domain.openRegions()).isEmpty();
        assertThat(budget.registeredBytes()).isZero();
        assertThat(pool.statistics()).isEqualTo(MemoryStatistics.NONE);
    }

    @Test
    void whenRevokedThenBlocksThatThePeerViewsAreReleasedAsWell() {
        giveBackWhileViewed();

        pool.revoke();

        assertThat(domain.openRegions()).isEmpty();
        assertThat(budget.registeredBytes()).isZero();
    }

    @Test
    void whenABlockIsReusedRepeatedlyThenItAlternatesWithASecondOne() {
        for (int i = 0; i < 10; i++) {
            use(128 * KIB);
        }
        assertThat(domain.openRegions()).hasSize(1);
        for (int i = 0; i < 30; i++) {
            use(128 * KIB);
        }

        assertThat(domain.openRegions()).hasSize(2);
        assertThat(use(128 * KIB)).isNotEqualTo(use(128 * KIB));
    }

    @Test
    void whenABlockIsSmallThenItGetsNoSecondOne() {
        for (int i = 0; i < 100; i++) {
            use(64 * KIB);
        }
        assertThat(domain.openRegions()).hasSize(1);
    }

    @Test
    void whenThereIsNoMemoryForASecondBlockThenOneIsUsed() {
        for (int i = 0; i < 100; i++) {
            use(320 * KIB);
        }
        assertThat(domain.openRegions()).hasSize(1);
        assertThat(pool.wantsTwin()).isFalse();
    }

    @Test
    void whenTheProviderFailsForTheSecondBlockThenTheMessageUsesTheFirst() {
        use(128 * KIB);
        domain.beforeRegistering(() -> {
            throw new IllegalStateException("on purpose");
        });
        for (int i = 0; i < 100; i++) {
            use(128 * KIB);
        }
        assertThat(domain.openRegions()).hasSize(1);
        assertThat(pool.statistics().blocksInUse()).isZero();
    }

    @Test
    void whenThePoolIsClosedBeforeTheSecondBlockIsRegisteredThenItIsNotRegistered() {
        use(128 * KIB);
        while (!pool.wantsTwin()) {
            try (MessageBuffer again = pool.tryAllocate(128 * KIB)) {
                assertThat(again).isNotNull();
            }
        }
        pool.close();
        pool.addTwin();

        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void shouldReuseTheBestFittingFreeBlock() {
        MessageBuffer large = pool.allocate(128 * KIB);
        MessageBuffer small = pool.allocate(64 * KIB);
        large.close();
        small.close();

        MessageBuffer next = pool.allocate(1);
        MessageBuffer another = pool.allocate(1);

        assertThat(next.capacity()).isEqualTo(64 * KIB);
        assertThat(another.capacity()).isEqualTo(128 * KIB);
        assertThat(domain.registrations()).isEqualTo(2);
        next.close();
        another.close();
    }

    @Test
    void whenTheFreeBlockIsMuchLargerThenItIsKeptForALargerMessage() {
        pool.allocate(160 * KIB).close();
        assertThat(pool.tryAllocate(64 * KIB)).isNull();

        MessageBuffer small = pool.allocate(64 * KIB);

        assertThat(small.capacity()).isEqualTo(64 * KIB);
        assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(224 * KIB, 64 * KIB, 2, 1));
        small.close();
    }

    @Test
    void whenTheBudgetIsUsedUpThenAnyLargerFreeBlockIsUsed() {
        pool.allocate(512 * KIB).close();

        MessageBuffer small = pool.allocate(1);

        assertThat(small.capacity()).isEqualTo(512 * KIB);
        small.close();
    }

    @Test
    void whenTheBudgetIsUsedUpThenSmallerFreeBlocksAreReleased() {
        MessageBuffer kept = pool.allocate(64 * KIB);
        List<MessageBuffer> small =
                List.of(pool.allocate(128 * KIB), pool.allocate(128 * KIB), pool.allocate(128 * KIB));
        small.forEach(MessageBuffer::close);

        MessageBuffer large = pool.allocate(448 * KIB);

        assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(512 * KIB, 512 * KIB, 2, 2));
        large.close();
        kept.close();
    }

    @Test
    void whenNothingCanBeReleasedThenTheExceptionHasTheSetting() {
        MessageBuffer buffer = pool.allocate(448 * KIB);

        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(() -> pool.allocate(80 * KIB))
                .withMessage("Registering 80 KiB more is over the limit: 448 KiB of 512 KiB are registered."
                        + " Close message buffers sooner or raise rdma.memory.max-lent-per-session.");
        buffer.close();
    }

    @Test
    void whenRegistrationFailsThenThePoolStaysUsable() {
        pool.allocate(1).close();
        domain.rejectRegistration(true);

        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> pool.allocate(256 * KIB));

        assertThat(budget.registeredBytes()).isEqualTo(64 * KIB);
        pool.allocate(1).close();
    }

    @Test
    void shouldTrimTheLargestFirst() {
        List<MessageBuffer> buffers =
                List.of(pool.allocate(64 * KIB), pool.allocate(128 * KIB), pool.allocate(256 * KIB));
        int largestKey = domain.openRegions().get(2).rkey();
        buffers.forEach(MessageBuffer::close);

        assertThat(pool.trim(200 * KIB)).isEqualTo(256 * KIB);

        assertThat(domain.isValidKey(largestKey)).isFalse();
        assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(192 * KIB, 0, 2, 0));
        assertThat(pool.trim(192 * KIB)).isZero();
        assertThat(pool.trim(0)).isEqualTo(192 * KIB);
        assertThat(budget.registeredBytes()).isZero();
    }

    @Test
    void whenClosedThenFreeBlocksAreRevokedAndOthersWhenTheyAreFreed() {
        pool.allocate(256 * KIB).close();
        MessageBuffer out = pool.allocate(64 * KIB);
        MemorySegment segment = out.segment();

        pool.close();

        assertThat(domain.openRegions()).hasSize(1);
        assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(64 * KIB, 64 * KIB, 1, 1));
        segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        out.close();
        assertThat(domain.openRegions()).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
        assertThat(pool.statistics()).isEqualTo(MemoryStatistics.NONE);
    }

    @Test
    void whenRevokedThenNoKeyIsValidAndMemoryStaysUntilFreed() {
        pool.allocate(256 * KIB).close();
        MessageBuffer buffer = pool.allocate(64 * KIB);
        RegisteredBlock block = pool.allocate(64 * KIB).take();

        pool.revoke();

        assertThat(domain.openRegions()).isEmpty();
        assertThat(domain.isValidKey(block.rkey())).isFalse();
        assertThat(budget.registeredBytes()).isEqualTo(128 * KIB);
        buffer.segment().fill((byte) 1);
        block.memory().fill((byte) 2);
        buffer.close();
        block.free();
        assertThat(budget.registeredBytes()).isZero();
        pool.revoke();
    }

    @Test
    void whenClosedThenRevokingInvalidatesTheBlocksInUse() {
        MessageBuffer out = pool.allocate(1);
        pool.close();

        pool.revoke();

        assertThat(domain.openRegions()).isEmpty();
        out.close();
    }

    @Test
    void whenClosedThenItAllocatesNothing() {
        pool.allocate(1).close();
        pool.close();

        assertThat(pool.tryAllocate(1)).isNull();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> pool.allocate(1))
                .withMessageContaining("closed");
    }

    @Test
    void whenClosedDuringARegistrationThenTheNewRegionIsReleased() {
        domain.beforeRegistering(pool::revoke);

        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> pool.allocate(1))
                .withMessageContaining("closed");

        assertThat(domain.registrations()).isEqualTo(1);
        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void whenDeregistrationFailsThenTheMemoryIsKeptAndFreeingRetries() {
        MessageBuffer out = pool.allocate(1);
        domain.rejectDeregistration(true);

        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(pool::revoke);
        out.segment().fill((byte) 1);
        domain.rejectDeregistration(false);

        out.close();
        assertThat(domain.openRegions()).isEmpty();
    }

    @Test
    void shouldRejectSizesItNeverAllocates() {
        assertThatIllegalArgumentException().isThrownBy(() -> pool.allocate(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.allocate((1 << 30) + 1))
                .withMessage("message of 1073741825 bytes: the pool lends 0 to 1 GiB");
    }

    @Test
    @Timeout(30)
    void whenRevokedWhileManyThreadsLendThenNothingRemains() throws Exception {
        int threads = 3;
        long seed = TestSeed.next();
        CyclicBarrier start = new CyclicBarrier(threads + 1);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Void>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Random random = new Random(seed + t);
                results.add(executor.submit((Callable<Void>) () -> {
                    start.await();
                    lendUntilRevoked(random);
                    return null;
                }));
            }
            start.await();
            for (int i = 0; i < 200; i++) {
                pool.trim(64 * KIB);
            }
            pool.revoke();
            for (Future<Void> result : results) {
                result.get();
            }
        }

        assertThat(domain.openRegions()).as("seed %d", seed).isEmpty();
        assertThat(budget.registeredBytes()).as("seed %d", seed).isZero();
    }

    private void lendUntilRevoked(Random random) {
        while (true) {
            try (MessageBuffer buffer = pool.allocate(random.nextInt(160 * KIB))) {
                buffer.segment().set(ValueLayout.JAVA_BYTE, buffer.capacity() - 1L, (byte) 1);
            } catch (RdmaMemoryExhaustedException full) {
                Thread.onSpinWait();
            } catch (RdmaException closed) {
                assertThat(closed).hasMessageContaining("closed");
                return;
            }
        }
    }

    private MessageBuffer readByThePeer(int bytes) {
        pool.allocate(bytes).close();
        return pool.allocate(bytes);
    }

    @Test
    void whenABlockIsNewThenItIsNotPreparedBeforeItIsWritten() {
        RegisteredBlock block;
        MessageBuffer buffer = pool.allocate(70_000);
        buffer.segment().fill((byte) 1);
        block = buffer.take();

        assertThat(domain.rewrites(block.rkey())).isEmpty();
        block.free();
    }

    @Test
    void whenThePeerMayHaveReadABlockThenItIsPreparedOnceBeforeItIsWrittenInPlace() {
        MessageBuffer buffer = readByThePeer(70_000);
        buffer.segment().fill((byte) 1);
        buffer.length(70_000);

        assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 69_999)).isOne();
        RegisteredBlock block = buffer.take();
        assertThat(domain.rewrites(block.rkey())).containsExactly("prepare 0 70000");
        block.free();
    }

    @Test
    void whenMetadataIsReservedThenItIsNotLostLater() {
        MessageBuffer buffer = readByThePeer(70_000);
        buffer.metadata(8).fill((byte) 7);
        buffer.copyFrom(MemorySegment.ofArray(new byte[60_000]), 0, 60_000);

        RegisteredBlock block = buffer.take();
        assertThat(block.payload().get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 7);
        assertThat(domain.rewrites(block.rkey())).containsExactly("prepare 0 70000");
        block.free();
    }

    @Test
    void whenAMessageIsCopiedToABlockThenTheDeviceCopiesItAndItStays() {
        byte[] message = new byte[65_000];
        message[64_999] = 9;
        MessageBuffer buffer = readByThePeer(70_000);
        buffer.copyFrom(MemorySegment.ofArray(message), 0, 65_000);

        assertThat(buffer.length()).isEqualTo(65_000);
        assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 64_999)).isEqualTo((byte) 9);
        RegisteredBlock block = buffer.take();
        assertThat(domain.rewrites(block.rkey())).containsExactly("copy 0 65000");
        block.free();
    }

    @Test
    void whenTheEngineMovesAMessageToABlockThenItStays() {
        RegisteredBlock block = readByThePeer(70_000).take();
        block.copyFrom(MemorySegment.ofArray(new byte[] {1, 2, 3}), 1, 0, 2);
        MessageBuffer buffer = MessageBuffer.of(block, 2);

        assertThat(buffer.segment().asSlice(0, 2).toArray(ValueLayout.JAVA_BYTE))
                .containsExactly(2, 3);
        buffer.close();
    }
}
