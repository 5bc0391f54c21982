package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.FakeClock;
import io.rdmarpc.concurrent.LoopSeat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A virtual thread that turns a loop")
@Timeout(60)
class VirtualTurnsTest {

    private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();

    private final LoopSeat seat = new LoopSeat();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final AtomicReference<Thread> turner = new AtomicReference<>();
    private final AtomicReference<String> inherited = new AtomicReference<>();
    private final AtomicInteger offers = new AtomicInteger();
    private final AtomicLong offerNanos = new AtomicLong();
    private final AtomicLong turnNanos = new AtomicLong();
    private volatile @Nullable Error turnFault;
    private volatile boolean interrupts;
    private final FakeClock clock = new FakeClock();
    private final VirtualTurns virtual = new VirtualTurns(
            "test", seat, this::turn, wakeUps::incrementAndGet, new CoreOffer(clock, this::offer), clock);

    @AfterEach
    void end() {
        virtual.end();
        Runtimes.await(
                "the thread to end", () -> turner.get() == null || !turner.get().isAlive());
    }

    private int turn() {
        assertThat(seat.isMine()).isTrue();
        turner.set(Thread.currentThread());
        inherited.set(INHERITABLE.get());
        if (interrupts) {
            turner.get().interrupt();
        }
        turns.incrementAndGet();
        clock.advanceNanos(turnNanos.get());
        Error fault = turnFault;
        if (fault != null) {
            throw fault;
        }
        return work.getAndUpdate(left -> Math.max(0, left - 1));
    }

    private void offer() {
        offers.incrementAndGet();
        clock.advanceNanos(offerNanos.get());
    }

    private void awaitIdle() {
        Runtimes.await("it to leave the loop", () -> !seat.isHeld() && wakeUps.get() > 0);
    }

    @Test
    @DisplayName("starts with the first command, and until then whoever has it wakes the polling thread as well")
    void whenAskedThenItTurnsTheLoop() {
        assertThat(virtual.ask()).as("will find it").isFalse();

        Runtimes.await("turns", () -> turns.get() > 0);
        assertThat(turner.get().isVirtual()).isTrue();
    }

    @Test
    @DisplayName("inherits nothing from whoever asks first")
    void whenAskedThenItInheritsNothing() {
        INHERITABLE.set("of a caller");
        try {
            virtual.ask();
            Runtimes.await("turns", () -> turns.get() > 0);
        } finally {
            INHERITABLE.remove();
        }

        assertThat(inherited.get()).isNull();
    }

    @Test
    @DisplayName("leaves the loop to the polling thread, and wakes it, after a while without work")
    void whenThereIsNoWorkThenItLeavesTheLoop() {
        work.set(1000);
        virtual.ask();
        awaitIdle();

        assertThat(turns.get()).isEqualTo(1000 + VirtualTurns.IDLE_TURNS);
        assertThat(offers.get()).as("offers of its core").isBetween(1, VirtualTurns.IDLE_TURNS);
    }

    @Test
    @DisplayName("is there again for the next command")
    void whenAskedAgainThenItTurnsAgain() {
        for (int round = 1; round <= 100; round++) {
            work.set(1);
            Runtimes.await("the work to be done", this::isDone);
        }
    }

    /** Asked in its last moments it leaves the work to the polling thread, which it wakes: here that is to ask once more. */
    private boolean isDone() {
        if (work.get() > 0 && !virtual.isTurning()) {
            virtual.ask();
        }
        return work.get() == 0;
    }

    @Test
    @DisplayName("says so while it turns: nobody else has to be woken")
    void whileItTurnsThenNobodyElseIsWoken() {
        work.set(Integer.MAX_VALUE);
        virtual.ask();
        Runtimes.await("turns", () -> turns.get() > 100);

        assertThat(virtual.ask()).isTrue();
        work.set(0);
        awaitIdle();
        assertThat(virtual.ask()).isFalse();
    }

    @Test
    @DisplayName("gets the seat of a polling thread that leaves it when asked")
    void whenTheResidentHasTheSeatThenItIsHandedOver() throws InterruptedException {
        CountDownLatch seated = new CountDownLatch(1);
        Thread resident = Thread.ofPlatform().daemon().unstarted(() -> {
            seat.tryTake();
            seated.countDown();
            while (!seat.isWanted()) {
                Thread.onSpinWait();
            }
            seat.leave();
        });
        seat.resident(resident);
        resident.start();
        seated.await();
        virtual.ask();

        Runtimes.await("turns", () -> turns.get() > 0);
        resident.join();
    }

    @Test
    @DisplayName("does not wait for the seat of a polling thread that keeps it")
    void whenTheResidentKeepsTheSeatThenItGivesUp() {
        seat.resident(Thread.currentThread());
        seat.tryTake();
        virtual.ask();
        Runtimes.await("it to ask", seat::isWanted);
        clock.advanceNanos(VirtualTurns.PATIENCE_NANOS);

        Runtimes.await("it to give up", () -> wakeUps.get() > 0);
        assertThat(seat.isMine()).isTrue();
        assertThat(seat.isWanted()).isFalse();
        assertThat(turns.get()).isZero();
        seat.leave();
    }

    @Test
    @DisplayName("leaves the loop to a caller that turns it")
    void whenACallerHasTheSeatThenItGoesOn() {
        seat.tryTake();
        virtual.ask();

        Runtimes.await("it to give up", () -> wakeUps.get() > 0);
        assertThat(seat.isWanted()).isFalse();
        assertThat(turns.get()).isZero();
        seat.leave();
    }

    @Test
    @DisplayName("has left the seat while others run, so that the loop is turned when no carrier is free")
    void whileOthersRunThenTheSeatCanBeTaken() {
        work.set(Integer.MAX_VALUE);
        virtual.ask();

        Runtimes.await("the seat", seat::tryTake);
        virtual.residentTurns();
        int before = turns.get();
        LockSupport.parkNanos(5_000_000);
        assertThat(turns.get()).isEqualTo(before);
        assertThat(virtual.ask()).as("will find it").isFalse();
        seat.leave();
        work.set(0);
    }

    /** To this thread: a caller, or as the polling thread takes it when no carrier was free for a while. */
    private void loseTheLoop() {
        int before = wakeUps.get();
        work.set(Integer.MAX_VALUE);
        virtual.ask();
        Runtimes.await("turns", seat::isHeld);
        Runtimes.await("the seat", seat::tryTake);
        if (seat.hasResident()) {
            virtual.residentTurns();
        }
        Runtimes.await("it to notice", () -> wakeUps.get() > before);
        work.set(0);
        seat.leave();
    }

    private boolean turnsWhenAsked() {
        int before = turns.get();
        work.set(1);
        virtual.ask();
        LockSupport.parkNanos(20_000_000);
        return turns.get() > before;
    }

    @Test
    @DisplayName("is not tried for a while, and then for a longer one, when it loses the loop again and again")
    void whenItLosesTheLoopAgainThenItRests() {
        seat.resident(Thread.currentThread());
        seat.residentStandsBack(true);
        loseTheLoop();
        assertThat(turnsWhenAsked()).as("after one loss").isTrue();
        awaitIdle();
        loseTheLoop();
        loseTheLoop();
        clock.advanceNanos(VirtualTurns.FIRST_REST_NANOS - 1);
        assertThat(turnsWhenAsked()).as("resting").isFalse();
        clock.advanceNanos(1);
        loseTheLoop();
        clock.advanceNanos(2 * VirtualTurns.FIRST_REST_NANOS - 1);
        assertThat(turnsWhenAsked()).as("resting for longer").isFalse();
        clock.advanceNanos(1);
        assertThat(turnsWhenAsked()).as("rested").isTrue();
    }

    @Test
    @DisplayName("sleeps instead of offering its core again when another program has kept it")
    void whenAnotherProgramKeepsTheCoreThenItLeavesTheLoop() {
        offerNanos.set(CoreOffer.LONG_NANOS);
        work.set(10);
        virtual.ask();
        awaitIdle();

        assertThat(offers.get()).isOne();
    }

    @Test
    @DisplayName("can park although what it ran has left an interrupt")
    void whenATurnLeavesAnInterruptThenItParks() {
        interrupts = true;
        virtual.ask();
        awaitIdle();

        Runtimes.await("it to park", () -> turner.get().getState() == Thread.State.WAITING);
    }

    @Test
    @DisplayName("is tried again at once when a caller has taken the loop from it")
    void whenACallerTakesTheLoopThenItDoesNotRest() {
        for (int i = 0; i < 4; i++) {
            loseTheLoop();
        }
        assertThat(turnsWhenAsked()).isTrue();
    }

    @Test
    @DisplayName("gives way to who asks for the seat")
    void whenSomebodyAsksForTheSeatThenItLeaves() {
        work.set(Integer.MAX_VALUE);
        virtual.ask();
        Runtimes.await("turns", () -> turns.get() > 0);
        seat.request();

        Runtimes.await("the seat", () -> seat.isMine() || seat.tryTake());
        boolean _ = seat.withdraw();
        seat.leave();
        work.set(0);
    }

    @Test
    @DisplayName("ends with its loop, in the midst of work")
    void whenEndedThenItStops() {
        work.set(Integer.MAX_VALUE);
        virtual.ask();
        Runtimes.await("turns", () -> turns.get() > 0);
        virtual.end();

        Runtimes.await("its end", () -> !turner.get().isAlive());
        assertThat(seat.isHeld()).isFalse();
        assertThat(virtual.ask()).isFalse();
    }

    @Test
    @DisplayName(
            "leaves the loop to the polling thread, the second time for a while, when something in a turn has parked")
    void whenATurnParksThenItRests() {
        turnNanos.set(VirtualTurns.LATE_NANOS + 1);
        for (int i = 0; i < 2; i++) {
            int before = turns.get();
            wakeUps.set(0);
            work.set(Integer.MAX_VALUE);
            virtual.ask();
            awaitIdle();
            assertThat(turns.get()).as("turns until it leaves").isBetween(before + 1, before + 16);
        }

        turnNanos.set(0);
        assertThat(turnsWhenAsked()).as("resting").isFalse();
        clock.advanceNanos(VirtualTurns.FIRST_REST_NANOS);
        assertThat(turnsWhenAsked()).as("rested").isTrue();
    }

    @Test
    @DisplayName("leaves the loop and lives when a turn throws whatever can be thrown")
    void whenATurnThrowsThenItLives() {
        for (Error fault : List.of(
                new InternalError("on purpose"),
                new OutOfMemoryError("on purpose"),
                new StackOverflowError("on purpose"))) {
            turnFault = fault;
            wakeUps.set(0);
            virtual.ask();
            awaitIdle();
        }
        turnFault = null;

        work.set(1);
        Runtimes.await("the work to be done", this::isDone);
        assertThat(turner.get().isAlive()).isTrue();
    }
}
