package io.rdmarpc.concurrent;

import io.rdmarpc.stress.Meeting;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Who turns a loop: {@link LoopSeat}. */
public final class LoopSeatStress {

    /** How long a thread parks that is never woken. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private LoopSeatStress() {}

    /**
     * Takes the seat, or asks for it and parks until it is there; as callers do that wait for a call.
     *
     * @return false if another thread asks for it already, or it does not come for {@link #LOST_NANOS}
     */
    private static boolean takeOrAskFor(LoopSeat seat) {
        if (seat.tryTake()) {
            return true;
        }
        if (!seat.request()) {
            return false;
        }
        long since = System.nanoTime();
        while (!seat.isMine() && !seat.tryTake() && System.nanoTime() - since < LOST_NANOS) {
            LockSupport.parkNanos(LOST_NANOS);
        }
        return !seat.withdraw() || seat.isMine();
    }

    /**
     * Two threads take the seat in turns, by any way there is. The count is a plain field: an owner that overlaps another one, or does not
     * see what the one before it did, loses a count.
     */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "one owner at a time, and the seat is free at the end")
    @Outcome(expect = Expect.FORBIDDEN, desc = "counts lost, an owner that is not alone, or a seat that stays taken")
    @State
    public static class OneOwner {

        private static final int TURNS = 8;

        private final LoopSeat seat = new LoopSeat();
        private final Meeting start = new Meeting();
        private int count;
        private boolean inside;
        private int overlaps;
        private int firstTurns;
        private int secondTurns;

        /** One thread. */
        @Actor
        public void first() {
            start.await();
            firstTurns = turns();
        }

        /** Another thread. */
        @Actor
        public void second() {
            start.await();
            secondTurns = turns();
        }

        private int turns() {
            int turns = 0;
            for (int i = 0; i < TURNS; i++) {
                if (takeOrAskFor(seat)) {
                    turns++;
                    own();
                }
            }
            return turns;
        }

        private void own() {
            boolean alone = !inside;
            inside = true;
            count++;
            inside = false;
            if (!alone || !seat.isMine()) {
                overlaps++;
            } else {
                seat.leave();
            }
        }

        /** After both. */
        @Arbiter
        public void end(III_Result r) {
            r.r1 = firstTurns + secondTurns - count;
            r.r2 = overlaps;
            r.r3 = seat.isHeld() ? 1 : 0;
        }
    }

    /** The owner leaves while another thread asks for the seat and parks. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the thread that asks has the seat at once")
    @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "the thread that asks is not woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the seat stays taken")
    @State
    public static class HandOverWakes {

        private final LoopSeat seat = new LoopSeat();
        private final Meeting start = new Meeting();

        /** The owner. */
        @Actor
        public void owner() {
            boolean _ = seat.tryTake();
            start.await();
            seat.leave();
        }

        /** The thread that asks. */
        @Actor
        public void asks(II_Result r) {
            start.await();
            long since = System.nanoTime();
            boolean owns = takeOrAskFor(seat);
            r.r1 = owns && System.nanoTime() - since < LOST_NANOS ? 0 : 1;
            if (owns) {
                seat.leave();
            }
        }

        /** After both. */
        @Arbiter
        public void end(II_Result r) {
            r.r2 = seat.isHeld() ? 1 : 0;
        }
    }

    /** The owner leaves while another thread takes its request back. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the request was taken back in time")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "the seat was handed over, and left again")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the seat was handed to a thread that does not know")
    @State
    public static class WithdrawalMeetsHandOver {

        private final LoopSeat seat = new LoopSeat();
        private final Meeting start = new Meeting();

        /** The owner. */
        @Actor
        public void owner() {
            boolean _ = seat.tryTake();
            start.awaitWithoutPause();
            seat.leave();
        }

        /** The thread that asks. */
        @Actor
        public void asks(ZZ_Result r) {
            start.await();
            boolean _ = seat.request();
            r.r1 = seat.withdraw();
            if (!r.r1) {
                seat.leave();
            }
        }

        /** After both. */
        @Arbiter
        public void end(ZZ_Result r) {
            r.r2 = seat.isHeld() || seat.isWanted();
        }
    }

    /** A thread that does not own the seat leaves it. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "only the owner leaves")
    @Outcome(expect = Expect.FORBIDDEN, desc = "another thread took the owner's seat away")
    @State
    public static class OnlyTheOwnerLeaves {

        private static final int TURNS = 4;

        private final LoopSeat seat = new LoopSeat();
        private final Meeting start = new Meeting();

        /** The owner. */
        @Actor
        public void owner(II_Result r) {
            start.await();
            for (int i = 0; i < TURNS; i++) {
                if (!seat.tryTake() || !seat.isMine()) {
                    r.r1++;
                } else {
                    seat.leave();
                }
            }
        }

        /** Any other thread. */
        @Actor
        public void other(II_Result r) {
            start.await();
            for (int i = 0; i < TURNS; i++) {
                try {
                    seat.leave();
                    r.r2++;
                } catch (IllegalStateException e) {
                    // As it should be.
                }
            }
        }
    }

    /** The seat is closed while its owner leaves and another thread asks for it. */
    @JCStressTest
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "an owner was still there")
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "closed, and no thread has it any more")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a thread was given a seat after it was closed and free")
    @State
    public static class ClosedForGood {

        private final LoopSeat seat = new LoopSeat();
        private final Meeting start = new Meeting();
        private final Meeting left = new Meeting();

        /** The owner. */
        @Actor
        public void owner() {
            boolean _ = seat.tryTake();
            start.awaitWithoutPause();
            seat.leave();
            left.awaitWithoutPause();
        }

        /** Asks for the seat, and closes it. */
        @Actor
        public void closes(ZZ_Result r) {
            start.await();
            boolean _ = seat.request();
            r.r1 = seat.close(Duration.ZERO);
            left.awaitWithoutPause();
            r.r2 = r.r1 && seat.isMine();
        }
    }
}
