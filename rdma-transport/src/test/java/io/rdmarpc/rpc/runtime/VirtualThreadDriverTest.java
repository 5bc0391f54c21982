package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.FakeClock;
import io.rdmarpc.concurrent.LoopOwnership;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A virtual thread that runs a loop")
@Timeout(60)
class VirtualThreadDriverTest {

    private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();

    private final LoopOwnership ownership = new LoopOwnership(this::wakeDefaultOwner);
    private final AtomicInteger cycles = new AtomicInteger();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final AtomicReference<Thread> driverThread = new AtomicReference<>();
    private final AtomicReference<String> inherited = new AtomicReference<>();
    private final AtomicInteger yields = new AtomicInteger();
    private final AtomicLong offerNanos = new AtomicLong();
    private final AtomicLong cycleNanos = new AtomicLong();
    private volatile @Nullable Error cycleFault;
    private volatile boolean interrupts;
    private final FakeClock clock = new FakeClock();
    private final VirtualThreadDriver driver =
            new VirtualThreadDriver("test", ownership, this::runCycle, new YieldBackoff(clock, this::yieldCore), clock);
    private volatile @Nullable Thread requester;
    private volatile boolean requesterWakes;

    @BeforeEach
    void attach() {
        ownership.attach(driver);
    }

    @AfterEach
    void end() {
        driver.end();
        Runtimes.await(
                "the thread to end",
                () -> driverThread.get() == null || !driverThread.get().isAlive());
    }

    private int runCycle() {
        assertThat(ownership.isMine()).isTrue();
        driverThread.set(Thread.currentThread());
        inherited.set(INHERITABLE.get());
        if (interrupts) {
            driverThread.get().interrupt();
        }
        cycles.incrementAndGet();
        clock.advanceNanos(cycleNanos.get());
        Error fault = cycleFault;
        if (fault != null) {
            throw fault;
        }
        return work.getAndUpdate(left -> Math.max(0, left - 1));
    }

    private void yieldCore() {
        yields.incrementAndGet();
        clock.advanceNanos(offerNanos.get());
    }

    private void wakeDefaultOwner() {
        if (Thread.currentThread().equals(requester)) {
            requesterWakes = true;
        } else {
            wakeUps.incrementAndGet();
        }
    }

    /**
     * A virtual thread submits a command. Returns true if it leaves the command to the driver and does not wake the
     * default owner.
     */
    private boolean request() {
        Thread thread = Thread.ofVirtual().unstarted(ownership::wake);
        requesterWakes = false;
        requester = thread;
        thread.start();
        Runtimes.await("the request", () -> !thread.isAlive());
        return !requesterWakes;
    }

    private void awaitIdle() {
        Runtimes.await(
                "it to leave the loop",
                () -> !ownership.isOwned()
                        && !ownership.isDriving()
                        && !ownership.isDriverRequested()
                        && wakeUps.get() > 0);
    }

    private void awaitParked() {
        Runtimes.await("it to park", () -> driverThread.get().getState() == Thread.State.WAITING);
    }

    @Test
    @DisplayName(
            "starts with the first command, and until then the thread with the command also wakes the polling thread")
    void whenRequestedThenItRunsTheLoop() {
        assertThat(request()).as("the driver gets the command").isFalse();

        Runtimes.await("cycles", () -> cycles.get() > 0);
        assertThat(driverThread.get().isVirtual()).isTrue();
    }

    @Test
    @DisplayName("inherits nothing from the first requester")
    void whenRequestedThenItInheritsNothing() {
        INHERITABLE.set("of a caller");
        try {
            request();
            Runtimes.await("cycles", () -> cycles.get() > 0);
        } finally {
            INHERITABLE.remove();
        }

        assertThat(inherited.get()).isNull();
    }

    @Test
    @DisplayName("leaves the loop to the polling thread, and wakes it, after a while without work")
    void whenThereIsNoWorkThenItLeavesTheLoop() {
        work.set(1000);
        request();
        awaitIdle();

        assertThat(cycles.get()).isEqualTo(1000 + VirtualThreadDriver.IDLE_CYCLES);
        assertThat(yields.get()).as("yields of its core").isBetween(1, VirtualThreadDriver.IDLE_CYCLES);
    }

    @Test
    @DisplayName("runs again for the next command")
    void whenRequestedAgainThenItRunsTheLoopAgain() {
        for (int round = 1; round <= 100; round++) {
            work.set(1);
            Runtimes.await("the work to be done", this::isDone);
        }
    }

    /**
     * If the driver is requested in its last moments, it wakes the polling thread for the work. This method requests it
     * once more instead.
     */
    private boolean isDone() {
        if (work.get() > 0 && !ownership.isDriving()) {
            request();
        }
        return work.get() == 0;
    }

    @Test
    @DisplayName("drives the loop, so that no other thread has to be woken")
    void whileItDrivesThenNoOtherThreadIsWoken() {
        work.set(Integer.MAX_VALUE);
        request();
        Runtimes.await("cycles", () -> cycles.get() > 100);

        assertThat(request()).isTrue();
        work.set(0);
        awaitIdle();
        assertThat(request()).isFalse();
    }

    @Test
    @DisplayName("gets the loop from a polling thread that releases it on request")
    void whenTheDefaultOwnerOwnsTheLoopThenItIsHandedOver() throws InterruptedException {
        CountDownLatch owned = new CountDownLatch(1);
        Thread polling = Thread.ofPlatform().daemon().unstarted(() -> {
            ownership.tryAcquire();
            owned.countDown();
            while (!ownership.isRequested()) {
                Thread.onSpinWait();
            }
            ownership.release();
        });
        ownership.attach(polling, this::wakeDefaultOwner);
        polling.start();
        owned.await();
        ownership.enterBlocked();
        request();

        Runtimes.await("cycles", () -> cycles.get() > 0);
        polling.join();
    }

    @Test
    @DisplayName("does not wait for the loop of a polling thread that keeps it")
    void whenTheDefaultOwnerKeepsTheLoopThenItStopsWaiting() {
        ownership.attach(Thread.currentThread(), this::wakeDefaultOwner);
        ownership.tryAcquire();
        ownership.enterBlocked();
        request();
        Runtimes.await("its request", ownership::isRequested);
        clock.advanceNanos(VirtualThreadDriver.ACQUIRE_NANOS);

        Runtimes.await("it to stop waiting", () -> wakeUps.get() > 0);
        assertThat(ownership.isMine()).isTrue();
        assertThat(ownership.isRequested()).isFalse();
        assertThat(cycles.get()).isZero();
        ownership.release();
    }

    @Test
    @DisplayName("is not woken for a first command without a waiting caller if the polling thread runs the loop")
    void whenTheDefaultOwnerPollsThenASingleCommandIsLeftToIt() {
        ownership.attach(Thread.currentThread(), this::wakeDefaultOwner);
        ownership.tryAcquire();

        assertThat(request()).isFalse();
        assertThat(ownership.isDriverRequested()).isFalse();
        ownership.release();
    }

    @Test
    @DisplayName("leaves the loop to a caller that runs it")
    void whenACallerOwnsTheLoopThenTheCallerKeepsIt() {
        ownership.tryAcquire();
        request();

        Runtimes.await("it to stop waiting", () -> wakeUps.get() > 0);
        assertThat(ownership.isRequested()).isFalse();
        assertThat(cycles.get()).isZero();
        ownership.release();
    }

    @Test
    @DisplayName("has released the loop while others run, so that the loop runs even if no carrier is free")
    void whileOthersRunThenTheLoopCanBeAcquired() {
        work.set(Integer.MAX_VALUE);
        request();

        Runtimes.await("the loop", ownership::tryAcquire);
        ownership.stopDriving();
        int before = cycles.get();
        LockSupport.parkNanos(5_000_000);
        assertThat(cycles.get()).isEqualTo(before);
        assertThat(request()).as("the driver gets the command").isFalse();
        ownership.release();
        work.set(0);
    }

    /**
     * Acquires the loop on this thread, as a caller does, or as the polling thread does when no carrier was free for a
     * while.
     */
    private void loseTheLoop() {
        work.set(Integer.MAX_VALUE);
        request();
        Runtimes.await("cycles", ownership::isOwned);
        Runtimes.await("the loop", ownership::tryAcquire);
        if (ownership.hasDefaultOwner()) {
            ownership.stopDriving();
        }
        awaitParked();
        work.set(0);
        ownership.release();
    }

    private boolean runsWhenRequested() {
        int before = cycles.get();
        work.set(1);
        request();
        LockSupport.parkNanos(20_000_000);
        return cycles.get() > before;
    }

    @Test
    @DisplayName("rests for a while, and then for a longer one, if it loses the loop repeatedly")
    void whenItLosesTheLoopAgainThenItRests() {
        ownership.attach(Thread.currentThread(), this::wakeDefaultOwner);
        loseTheLoop();
        assertThat(runsWhenRequested()).as("after one loss").isTrue();
        awaitIdle();
        loseTheLoop();
        loseTheLoop();
        clock.advanceNanos(VirtualThreadDriver.FIRST_REST_NANOS - 1);
        assertThat(runsWhenRequested()).as("resting").isFalse();
        clock.advanceNanos(1);
        loseTheLoop();
        clock.advanceNanos(2 * VirtualThreadDriver.FIRST_REST_NANOS - 1);
        assertThat(runsWhenRequested()).as("resting for longer").isFalse();
        clock.advanceNanos(1);
        assertThat(runsWhenRequested()).as("rested").isTrue();
    }

    @Test
    @DisplayName("sleeps instead of yielding its core again if another program has kept the core")
    void whenAnotherProgramKeepsTheCoreThenItLeavesTheLoop() {
        offerNanos.set(YieldBackoff.LONG_NANOS);
        work.set(10);
        request();
        awaitIdle();

        assertThat(yields.get()).isOne();
    }

    @Test
    @DisplayName("can park even if code in a cycle has left an interrupt")
    void whenACycleLeavesAnInterruptThenItParks() {
        interrupts = true;
        request();
        awaitIdle();

        awaitParked();
    }

    @Test
    @DisplayName("does not rest after a caller has taken the loop over")
    void whenACallerTakesTheLoopThenItDoesNotRest() {
        for (int i = 0; i < 4; i++) {
            loseTheLoop();
        }
        assertThat(runsWhenRequested()).isTrue();
    }

    @Test
    @DisplayName("releases the loop on request")
    void whenAnotherThreadRequestsTheLoopThenItReleasesIt() {
        work.set(Integer.MAX_VALUE);
        request();
        Runtimes.await("cycles", () -> cycles.get() > 0);
        ownership.request();

        Runtimes.await("the loop", () -> ownership.isMine() || ownership.tryAcquire());
        boolean _ = ownership.withdraw();
        ownership.release();
        work.set(0);
    }

    @Test
    @DisplayName("ends with its loop, even with work left")
    void whenEndedThenItStops() {
        work.set(Integer.MAX_VALUE);
        request();
        Runtimes.await("cycles", () -> cycles.get() > 0);
        driver.end();

        Runtimes.await("its end", () -> !driverThread.get().isAlive());
        assertThat(ownership.isOwned()).isFalse();
        assertThat(request()).isFalse();
    }

    @Test
    @DisplayName("leaves the loop to the polling thread if code in a cycle has parked, and rests the second time")
    void whenACycleParksThenItRests() {
        cycleNanos.set(VirtualThreadDriver.LATE_NANOS + 1);
        for (int i = 0; i < 2; i++) {
            int before = cycles.get();
            wakeUps.set(0);
            work.set(Integer.MAX_VALUE);
            request();
            awaitIdle();
            assertThat(cycles.get()).as("cycles until it leaves").isBetween(before + 1, before + 16);
        }

        cycleNanos.set(0);
        assertThat(runsWhenRequested()).as("resting").isFalse();
        clock.advanceNanos(VirtualThreadDriver.FIRST_REST_NANOS);
        assertThat(runsWhenRequested()).as("rested").isTrue();
    }

    @Test
    @DisplayName("leaves the loop and stays alive if a cycle throws any throwable")
    void whenACycleThrowsThenItLives() {
        for (Error fault : List.of(
                new InternalError("on purpose"),
                new OutOfMemoryError("on purpose"),
                new StackOverflowError("on purpose"))) {
            cycleFault = fault;
            wakeUps.set(0);
            request();
            awaitIdle();
        }
        cycleFault = null;

        work.set(1);
        Runtimes.await("the work to be done", this::isDone);
        assertThat(driverThread.get().isAlive()).isTrue();
    }
}
