package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The ownership of a loop")
@Timeout(60)
class LoopOwnershipTest {

    private final AtomicInteger unattended = new AtomicInteger();
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final LoopOwnership ownership = new LoopOwnership(unattended::incrementAndGet);

    private static Thread run(Runnable task) {
        return Thread.ofPlatform().daemon().start(task);
    }

    @Test
    void whenAcquiredThenOneThreadOwnsIt() throws InterruptedException {
        assertThat(ownership.tryAcquire()).isTrue();
        AtomicReference<Boolean> other = new AtomicReference<>();
        run(() -> other.set(ownership.tryAcquire())).join();

        assertThat(other.get()).isFalse();
        assertThat(ownership.isMine()).isTrue();
        assertThat(ownership.tryAcquire()).as("again").isFalse();
    }

    @Test
    void whenReleasedThenItIsFree() {
        ownership.tryAcquire();
        ownership.release();

        assertThat(ownership.isOwned()).isFalse();
        assertThat(ownership.tryAcquire()).isTrue();
    }

    @Test
    void whenAnotherThreadReleasesThenItIsRejectedAndTheOwnerKeepsIt() throws InterruptedException {
        ownership.tryAcquire();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread other = Thread.ofPlatform().unstarted(ownership::release);
        other.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        other.start();
        other.join();

        assertThat(failure.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("does not own");
        assertThat(ownership.isMine()).isTrue();
    }

    @Test
    void whenAThreadRequestsItThenItIsHandedOverWithoutBeingFree() throws InterruptedException {
        ownership.tryAcquire();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch got = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread other = run(() -> {
            ownership.request();
            asked.countDown();
            while (!ownership.isMine()) {
                LockSupport.park(this);
            }
            got.countDown();
            await(done);
            ownership.release();
        });
        asked.await();
        assertThat(ownership.isRequested()).isTrue();
        ownership.release();

        assertThat(ownership.isOwned()).isTrue();
        assertThat(ownership.tryAcquire()).isFalse();
        assertThat(got.await(30, TimeUnit.SECONDS)).isTrue();
        done.countDown();
        other.join();
        assertThat(ownership.isOwned()).isFalse();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whenARequestIsWithdrawnThenItHasNoEffect() {
        assertThat(ownership.request()).isTrue();
        assertThat(ownership.request()).as("again").isFalse();
        assertThat(ownership.withdraw()).isTrue();

        assertThat(ownership.isRequested()).isFalse();
    }

    @Test
    void whenOwnedThenItNamesItsOwner() {
        assertThat(ownership.owner()).isNull();
        ownership.tryAcquire();
        assertThat(ownership.owner()).isSameAs(Thread.currentThread());
        ownership.release();

        assertThat(ownership.owner()).isNull();
    }

    @Test
    void whenAnotherThreadAcquiresItNextThenItNamesThatOne() throws InterruptedException {
        ownership.tryAcquire();
        ownership.release();
        AtomicReference<Thread> named = new AtomicReference<>();
        Thread next = run(() -> {
            ownership.tryAcquire();
            named.set(ownership.owner());
        });
        next.join();

        assertThat(named.get()).isSameAs(next);
        assertThat(ownership.isMine()).isFalse();
        assertThat(ownership.releaseOfEndedOwner()).isTrue();
        assertThat(ownership.isOwned()).isFalse();
    }

    @Test
    void whenClosedThenNoThreadAcquiresIt() {
        assertThat(ownership.close(Duration.ofSeconds(1))).isTrue();
        assertThat(ownership.tryAcquire()).isFalse();
        ownership.open();

        assertThat(ownership.tryAcquire()).isTrue();
    }

    @Test
    void whenItIsOwnedThenClosingWaits() throws InterruptedException {
        ownership.tryAcquire();
        AtomicReference<Boolean> closed = new AtomicReference<>();
        Thread closer = run(() -> closed.set(ownership.close(Duration.ofSeconds(30))));
        while (!ownership.isClosed()) {
            Thread.onSpinWait();
        }
        ownership.release();
        closer.join();

        assertThat(closed.get()).isTrue();
    }

    @Test
    void whenClosedThenItIsFreedAndNotHandedOver() throws InterruptedException {
        ownership.tryAcquire();
        run(ownership::request).join();
        assertThat(ownership.close(Duration.ZERO)).isFalse();
        ownership.release();

        assertThat(ownership.isOwned()).isFalse();
    }

    @Test
    void whenOpenedAgainThenItIsHandedOverToAThreadThatStillRequestsIt() throws InterruptedException {
        Thread requester = run(ownership::request);
        requester.join();
        ownership.close(Duration.ZERO);
        ownership.open();
        ownership.tryAcquire();
        ownership.release();

        assertThat(ownership.owner()).isEqualTo(requester);
    }

    @Test
    void whenItsOwnerStaysThenClosingTimesOut() {
        ownership.tryAcquire();

        assertThat(ownership.close(Duration.ofMillis(1))).isFalse();
    }

    /**
     * Four threads acquire, request and withdraw. The guarded state has one writer at a time, and each thread owns the
     * loop eventually.
     */
    @Test
    @DisplayName("FL-13 has one owner at a time, and no request is missed")
    void whenManyRequestItThenOneOwnsItAndAllOwnItOnce() throws InterruptedException {
        int[] guarded = new int[1];
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        int rounds = 20_000;
        for (int i = 0; i < 4; i++) {
            threads.add(run(() -> {
                for (int round = 0; round < rounds; round++) {
                    take();
                    if (inside.incrementAndGet() != 1) {
                        overlaps.incrementAndGet();
                    }
                    guarded[0]++;
                    inside.decrementAndGet();
                    ownership.release();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(overlaps.get()).isZero();
        assertThat(guarded[0]).isEqualTo(4 * rounds);
        assertThat(ownership.isOwned()).isFalse();
        assertThat(ownership.isRequested()).isFalse();
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // A thread that spins keeps the core from an owner that has just been woken.
    private void take() {
        while (!ownership.tryAcquire()) {
            if (ownership.request()) {
                while (!ownership.isMine() && !ownership.tryAcquire()) {
                    LockSupport.park(this);
                }
                ownership.withdraw();
                return;
            }
            Thread.yield();
        }
    }

    // ---- the default owner ----

    private Thread yields(CountDownLatch yielded, BooleanSupplier mayContinue) {
        return run(() -> yieldOwnership(yielded, mayContinue));
    }

    private void yieldOwnership(CountDownLatch yielded, BooleanSupplier mayContinue) {
        ownership.yieldOwnership(() -> {
            yielded.countDown();
            return mayContinue.getAsBoolean();
        });
    }

    /** Yields as the default owner that is attached. */
    private Thread defaultOwnerYields(CountDownLatch yielded, BooleanSupplier mayContinue) {
        Thread thread = Thread.ofPlatform().daemon().unstarted(() -> yieldOwnership(yielded, mayContinue));
        ownership.attach(thread, wakeUps::incrementAndGet);
        thread.start();
        return thread;
    }

    @Test
    void whenNoOtherThreadOwnsTheLoopThenTheDefaultOwnerDoesNotYield() {
        ownership.yieldOwnership(() -> {
            throw new AssertionError("the default owner waits");
        });

        assertThat(ownership.isYielded()).isFalse();
    }

    @Test
    void whenAnotherThreadOwnsTheLoopThenTheDefaultOwnerYieldsUntilItIsReleased() throws InterruptedException {
        ownership.tryAcquire();
        CountDownLatch yielded = new CountDownLatch(1);
        Thread yields = yields(yielded, () -> true);
        yielded.await();
        assertThat(ownership.isYielded()).isTrue();

        ownership.release();
        yields.join();
        assertThat(ownership.isYielded()).isFalse();
    }

    @Test
    void whenTheOwnerEndsWithoutReleasingThenTheDefaultOwnerFreesTheLoop() throws InterruptedException {
        run(ownership::tryAcquire).join();
        ownership.yieldOwnership(() -> true);

        assertThat(ownership.isOwned()).isFalse();
    }

    @Test
    void whenTheDefaultOwnerHasYieldedThenATakeoverNeedsNoWakeUp() throws InterruptedException {
        ownership.attach(Thread.currentThread(), wakeUps::incrementAndGet);
        ownership.tryAcquire();
        assertThat(ownership.countTakeover()).as("before").isTrue();
        CountDownLatch yielded = new CountDownLatch(1);
        Thread yields = yields(yielded, () -> true);
        yielded.await();

        assertThat(ownership.countTakeover()).isFalse();
        ownership.release();
        yields.join();
    }

    @Test
    void whenThereIsNoDefaultOwnerThenATakeoverWakesNoThread() {
        ownership.tryAcquire();

        assertThat(ownership.countTakeover()).isFalse();
    }

    // ---- a default owner that sleeps ----

    /** A sleep that ends only by {@link #wake}. */
    private static final class Sleep implements IdleStrategy {

        private boolean asleep = true;
        private boolean held;
        private int wakes;

        @Override
        public void idle(int workCount) {
            throw new AssertionError("the default owner runs the loop");
        }

        @Override
        public void wake() {
            wakes++;
        }

        @Override
        public boolean holdSleep() {
            held = asleep;
            return asleep;
        }

        @Override
        public void releaseSleep() {
            held = false;
        }
    }

    private final AtomicLong nanos = new AtomicLong();
    private final Sleep sleep = new Sleep();

    private LoopOwnership ofSleepingThread() {
        LoopOwnership sleeping = new LoopOwnership(() -> {}, nanos::get);
        sleeping.attach(Thread.currentThread(), sleep);
        sleeping.tryAcquire();
        return sleeping;
    }

    @Test
    void whenTheDefaultOwnerSleepsThenATakeoverForACallLeavesItAsleep() {
        LoopOwnership sleeping = ofSleepingThread();
        sleeping.takeOverForCall();
        sleeping.takeOverForCall();

        assertThat(sleeping.hasLeftAsleep()).isTrue();
        assertThat(sleep.held).isTrue();
        assertThat(sleep.wakes).isZero();
    }

    @Test
    void whenTheDefaultOwnerIsLeftAsleepThenACommandDoesNotWakeItBeforeTheTakeoverEnds() {
        LoopOwnership sleeping = ofSleepingThread();
        sleeping.takeOverForCall();
        sleeping.wake();
        assertThat(sleep.wakes).as("the owner checks for commands").isZero();

        sleeping.endTakeover();
        assertThat(sleeping.hasLeftAsleep()).isFalse();
        assertThat(sleep.held).isFalse();
        sleeping.release();
        sleeping.wake();
        assertThat(sleep.wakes).isEqualTo(1);
    }

    @Test
    void whenTheDefaultOwnerIsLeftAsleepThenItsSleepCanBeEnded() {
        LoopOwnership sleeping = ofSleepingThread();
        sleeping.takeOverForCall();
        sleeping.endSleep();

        assertThat(sleep.wakes).isEqualTo(1);
    }

    @Test
    void whenItWasLeftAsleepWithinAMillisecondThenATakeoverForACallWakesTheDefaultOwner() {
        LoopOwnership sleeping = ofSleepingThread();
        sleeping.takeOverForCall();
        sleeping.endTakeover();
        nanos.addAndGet(999_999);
        sleeping.takeOverForCall();
        assertThat(sleeping.hasLeftAsleep()).isFalse();
        assertThat(sleep.wakes).isEqualTo(1);

        nanos.addAndGet(1);
        sleeping.takeOverForCall();
        assertThat(sleeping.hasLeftAsleep()).isTrue();
        assertThat(sleep.wakes).isEqualTo(1);
    }

    @Test
    void whenTheDefaultOwnerIsAwakeThenATakeoverForACallWakesIt() {
        LoopOwnership sleeping = ofSleepingThread();
        sleep.asleep = false;
        sleeping.takeOverForCall();

        assertThat(sleeping.hasLeftAsleep()).isFalse();
        assertThat(sleep.wakes).isEqualTo(1);
    }

    @Test
    void whenAnOwnerEndsThatHasLeftTheDefaultOwnerAsleepThenTheSleepIsReleased() throws InterruptedException {
        LoopOwnership sleeping = ofSleepingThread();
        sleeping.release();
        run(() -> {
                    sleeping.tryAcquire();
                    sleeping.takeOverForCall();
                })
                .join();
        assertThat(sleeping.hasLeftAsleep()).isTrue();

        assertThat(sleeping.releaseOfEndedOwner()).isTrue();
        assertThat(sleeping.hasLeftAsleep()).isFalse();
        assertThat(sleep.held).isFalse();
    }

    // ---- the wake-up ----

    @Test
    void whenThereIsNoDefaultOwnerThenTheCreatorsWakeUpRuns() {
        ownership.wake();
        assertThat(unattended).hasValue(1);

        ownership.attach(Thread.currentThread(), wakeUps::incrementAndGet);
        ownership.wake();
        ownership.detach();
        ownership.wake();
        assertThat(unattended).hasValue(2);
    }

    @Test
    void whenADefaultOwnerIsAttachedThenItsSleepEnds() {
        ownership.attach(Thread.currentThread(), wakeUps::incrementAndGet);
        ownership.wake();

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whenTheSleepCannotBeEndedThenTheDefaultOwnerIsUnparked() {
        ownership.attach(Thread.currentThread(), () -> {
            throw new InternalError("on purpose");
        });
        ownership.wake();

        // Returns at once because a permit is available.
        LockSupport.park(this);
    }

    @Test
    void whenAnotherThreadOwnsTheLoopThenTheYieldedDefaultOwnerKeepsSleeping() throws InterruptedException {
        ownership.tryAcquire();
        CountDownLatch yielded = new CountDownLatch(1);
        Thread yields = defaultOwnerYields(yielded, () -> true);
        yielded.await();
        ownership.wake();

        assertThat(wakeUps).hasValue(0);
        assertThat(ownership.isYielded()).isTrue();
        ownership.release();
        yields.join();
    }

    @Test
    void whenTheLoopIsFreeThenTheYieldedDefaultOwnerIsRecalled() throws InterruptedException {
        ownership.tryAcquire();
        CountDownLatch yielded = new CountDownLatch(1);
        CountDownLatch woken = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        Thread yields = defaultOwnerYields(yielded, () -> {
            looks.incrementAndGet();
            await(woken);
            return true;
        });
        yielded.await();
        ownership.release();
        ownership.wake();
        woken.countDown();
        yields.join();

        assertThat(looks)
                .as("it checked once, and did not wait for a millisecond")
                .hasValue(1);
        assertThat(wakeUps).hasValue(0);
    }

    // ---- the on-demand driver ----

    /** Counts its wake-ups. */
    private static final class Driver implements LoopOwnership.OnDemandDriver {

        private boolean available = true;
        private @Nullable Error fault;
        private int wakes;

        @Override
        public boolean isAvailable() {
            return available;
        }

        @Override
        public void wake() {
            wakes++;
            if (fault != null) {
                throw fault;
            }
        }
    }

    private void wakeByAVirtualThread() throws InterruptedException {
        Thread.ofVirtual().start(ownership::wake).join();
    }

    private Driver attached() {
        ownership.attach(Thread.currentThread(), wakeUps::incrementAndGet);
        Driver driver = new Driver();
        ownership.attach(driver);
        return driver;
    }

    @Test
    void whenTheDefaultOwnerRunsTheLoopThenTheFirstCommandAfterAPauseIsLeftToIt() throws InterruptedException {
        LoopOwnership polled = ofSleepingThread();
        Driver driver = new Driver();
        polled.attach(driver);
        Thread.ofVirtual().start(polled::wake).join();
        assertThat(driver.wakes).isZero();
        assertThat(sleep.wakes).as("in case it was about to sleep").isOne();

        nanos.addAndGet(999_999);
        Thread.ofVirtual().start(polled::wake).join();
        assertThat(driver.wakes).isOne();
        polled.endDriving();
        nanos.addAndGet(1_000_000);
        Thread.ofVirtual().start(polled::wake).join();
        assertThat(driver.wakes).as("after another pause").isOne();

        nanos.addAndGet(1_000_000);
        polled.enterBlocked();
        Thread.ofVirtual().start(polled::wake).join();
        assertThat(driver.wakes).as("while a caller waits").isEqualTo(2);
    }

    @Test
    void whenAVirtualThreadHasACommandThenTheDriverIsRequestedAndTheDefaultOwnerIsWoken() throws InterruptedException {
        Driver driver = attached();
        wakeByAVirtualThread();
        wakeByAVirtualThread();

        assertThat(ownership.isDriverRequested()).isTrue();
        assertThat(driver.wakes).as("woken once").isOne();
        assertThat(wakeUps).as("until the driver drives").hasValue(2);
    }

    @Test
    void whenTheDriverCannotBeWokenThenTheDefaultOwnerIsWoken() throws InterruptedException {
        attached().fault = new OutOfMemoryError("on purpose");
        wakeByAVirtualThread();

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whenAThreadTakesTheLoopOverThenTheDefaultOwnerIsWoken() {
        attached();
        ownership.tryAcquire();
        ownership.takeOver();

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whenTheDefaultOwnerCannotBeWokenThenATakeoverSucceeds() {
        ownership.attach(Thread.currentThread(), () -> {
            throw new InternalError("on purpose");
        });
        ownership.tryAcquire();
        ownership.takeOver();

        assertThat(ownership.isMine()).isTrue();
    }

    @Test
    void whenAPlatformThreadHasACommandThenTheDriverIsNotRequested() {
        attached();
        ownership.wake();

        assertThat(ownership.isDriverRequested()).isFalse();
        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whenTheDriverIsUnavailableThenItIsNotRequested() throws InterruptedException {
        Driver driver = attached();
        driver.available = false;
        wakeByAVirtualThread();

        assertThat(ownership.isDriverRequested()).isFalse();
        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whileItDrivesThenTheDefaultOwnerKeepsSleeping() throws InterruptedException {
        attached();
        wakeByAVirtualThread();
        assertThat(ownership.beginDriving()).isTrue();
        assertThat(ownership.isDriving()).isTrue();
        wakeUps.set(0);
        wakeByAVirtualThread();
        assertThat(wakeUps).hasValue(0);

        ownership.endDriving();
        assertThat(ownership.isDriving()).isFalse();
    }

    @Test
    void whenNoThreadHasRequestedItThenItDoesNotDrive() {
        attached();

        assertThat(ownership.beginDriving()).isFalse();
    }

    @Test
    void whenTheDefaultOwnerHasYieldedWithoutATakeoverThenTheDriverNoLongerDrives() throws InterruptedException {
        attached();
        wakeByAVirtualThread();
        assertThat(ownership.beginDriving()).isTrue();
        ownership.yieldOwnership(() -> true);

        assertThat(ownership.isDriving()).isFalse();
    }

    @Test
    void whenDetachedThenItIsNeitherRequestedNorDriving() throws InterruptedException {
        Driver driver = attached();
        wakeByAVirtualThread();
        ownership.detachDriver();
        wakeByAVirtualThread();

        assertThat(ownership.isDriverRequested()).isFalse();
        assertThat(driver.wakes).isOne();
    }
}
