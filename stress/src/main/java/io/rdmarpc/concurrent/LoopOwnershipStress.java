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
import org.openjdk.jcstress.infra.results.Z_Result;

/** The thread that runs a loop: {@link LoopOwnership}. */
public final class LoopOwnershipStress {

    /** Park time of a thread that is never woken. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private LoopOwnershipStress() {}

    /**
     * Acquires the loop, or requests it and parks until it owns it, as a caller that waits for a call.
     *
     * @return false if another thread has already requested it, or this thread did not receive it within {@link
     *     #LOST_NANOS}
     */
    private static boolean acquireOrRequest(LoopOwnership ownership) {
        if (ownership.tryAcquire()) {
            return true;
        }
        if (!ownership.request()) {
            return false;
        }
        long since = System.nanoTime();
        while (!ownership.isMine() && !ownership.tryAcquire() && System.nanoTime() - since < LOST_NANOS) {
            LockSupport.parkNanos(LOST_NANOS);
        }
        return !ownership.withdraw() || ownership.isMine();
    }

    /**
     * Two threads compete for the loop and acquire it by each possible path. The count is a plain field. An owner loses
     * a count if it overlaps with another owner, or does not see the writes of the previous one.
     */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "one owner at a time, and the loop is free at the end")
    @Outcome(expect = Expect.FORBIDDEN, desc = "counts lost, two owners at a time, or a loop that stays owned")
    @State
    public static class OneOwner {

        private static final int ROUNDS = 8;

        private final LoopOwnership ownership = new LoopOwnership();
        private final Meeting start = new Meeting();
        private int count;
        private boolean inside;
        private int overlaps;
        private int firstRounds;
        private int secondRounds;

        /** One thread. */
        @Actor
        public void first() {
            start.await();
            firstRounds = rounds();
        }

        /** Another thread. */
        @Actor
        public void second() {
            start.await();
            secondRounds = rounds();
        }

        private int rounds() {
            int rounds = 0;
            for (int i = 0; i < ROUNDS; i++) {
                if (acquireOrRequest(ownership)) {
                    rounds++;
                    own();
                }
            }
            return rounds;
        }

        private void own() {
            boolean alone = !inside;
            inside = true;
            count++;
            inside = false;
            if (!alone || !ownership.isMine()) {
                overlaps++;
            } else {
                ownership.release();
            }
        }

        /** After both. */
        @Arbiter
        public void end(III_Result r) {
            r.r1 = firstRounds + secondRounds - count;
            r.r2 = overlaps;
            r.r3 = ownership.isOwned() ? 1 : 0;
        }
    }

    /** The owner releases the loop while another thread requests it and parks. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the requester owns the loop at once")
    @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "the requester is not woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the loop stays owned")
    @State
    public static class HandOverWakes {

        private final LoopOwnership ownership = new LoopOwnership();
        private final Meeting start = new Meeting();

        /** The owner. */
        @Actor
        public void owner() {
            boolean _ = ownership.tryAcquire();
            start.await();
            ownership.release();
        }

        /** The requester. */
        @Actor
        public void requester(II_Result r) {
            start.await();
            long since = System.nanoTime();
            boolean owns = acquireOrRequest(ownership);
            r.r1 = owns && System.nanoTime() - since < LOST_NANOS ? 0 : 1;
            if (owns) {
                ownership.release();
            }
        }

        /** After both. */
        @Arbiter
        public void end(II_Result r) {
            r.r2 = ownership.isOwned() ? 1 : 0;
        }
    }

    /** The owner releases the loop while another thread withdraws its request. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the request was withdrawn in time")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "the loop was handed over, and released again")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the loop was handed over to a thread that is not notified")
    @State
    public static class WithdrawalMeetsHandOver {

        private final LoopOwnership ownership = new LoopOwnership();
        private final Meeting start = new Meeting();

        /** The owner. */
        @Actor
        public void owner() {
            boolean _ = ownership.tryAcquire();
            start.awaitWithoutPause();
            ownership.release();
        }

        /** The requester. */
        @Actor
        public void requester(ZZ_Result r) {
            start.await();
            boolean _ = ownership.request();
            r.r1 = ownership.withdraw();
            if (!r.r1) {
                ownership.release();
            }
        }

        /** After both. */
        @Arbiter
        public void end(ZZ_Result r) {
            r.r2 = ownership.isOwned() || ownership.isRequested();
        }
    }

    /** A thread that does not own the loop releases it. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "only the owner releases the loop")
    @Outcome(expect = Expect.FORBIDDEN, desc = "another thread released the owner's loop")
    @State
    public static class OnlyTheOwnerReleases {

        private static final int ROUNDS = 4;

        private final LoopOwnership ownership = new LoopOwnership();
        private final Meeting start = new Meeting();

        /** The owner. */
        @Actor
        public void owner(II_Result r) {
            start.await();
            for (int i = 0; i < ROUNDS; i++) {
                if (!ownership.tryAcquire() || !ownership.isMine()) {
                    r.r1++;
                } else {
                    ownership.release();
                }
            }
        }

        /** Any other thread. */
        @Actor
        public void other(II_Result r) {
            start.await();
            for (int i = 0; i < ROUNDS; i++) {
                try {
                    ownership.release();
                    r.r2++;
                } catch (IllegalStateException e) {
                    // Expected.
                }
            }
        }
    }

    /** A caller that has left the default owner asleep ends its takeover while another thread queues a command. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the default owner is woken for the command")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the command waits until the sleep ends by itself")
    @State
    public static class LeftAsleep {

        private final LoopOwnership ownership = new LoopOwnership();
        private final Meeting start = new Meeting();
        private final Sleep sleep = new Sleep();
        private volatile boolean command;

        /** Creates the ownership of a loop whose default owner sleeps. */
        public LeftAsleep() {
            ownership.attach(Thread.currentThread(), sleep);
        }

        /** The caller. */
        @Actor
        public void caller() {
            boolean _ = ownership.tryAcquire();
            ownership.takeOverForCall();
            start.await();
            ownership.endTakeover();
            ownership.release();
            if (command) {
                ownership.wake();
            }
        }

        /** The other thread. */
        @Actor
        public void producer() {
            start.await();
            command = true;
            ownership.wake();
        }

        /** After both. */
        @Arbiter
        public void end(Z_Result r) {
            r.r1 = sleep.woken;
        }

        /** A sleep that only a wake-up ends. */
        private static final class Sleep implements IdleStrategy {

            private volatile boolean woken;

            @Override
            public void idle(int workCount) {}

            @Override
            public void wake() {
                woken = true;
            }

            @Override
            public boolean holdSleep() {
                return true;
            }
        }
    }

    /** The ownership is closed while the owner releases the loop and another thread requests it. */
    @JCStressTest
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "a thread still owned the loop")
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "closed, and no thread owns the loop any more")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a thread was handed the loop after it was closed and free")
    @State
    public static class ClosedForGood {

        private final LoopOwnership ownership = new LoopOwnership();
        private final Meeting start = new Meeting();
        private final Meeting left = new Meeting();

        /** The owner. */
        @Actor
        public void owner() {
            boolean _ = ownership.tryAcquire();
            start.awaitWithoutPause();
            ownership.release();
            left.awaitWithoutPause();
        }

        /** Requests the loop, and closes its ownership. */
        @Actor
        public void closer(ZZ_Result r) {
            start.await();
            boolean _ = ownership.request();
            r.r1 = ownership.close(Duration.ZERO);
            left.awaitWithoutPause();
            r.r2 = r.r1 && ownership.isMine();
        }
    }
}
