package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.stress.Meeting;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A virtual thread that runs a loop for other threads: {@link VirtualThreadDriver}. */
public final class VirtualThreadDriverStress {

    private VirtualThreadDriverStress() {}

    /**
     * A command is queued while the virtual thread runs the loop, while it stops driving, and while the polling thread
     * acquires the loop from it.
     */
    @JCStressTest
    @Outcome(
            id = "true, true",
            expect = Expect.ACCEPTABLE,
            desc = "the command was left to the virtual thread, and a thread found it")
    @Outcome(
            id = "false, .*",
            expect = Expect.ACCEPTABLE,
            desc = "the thread with the command wakes the polling thread itself")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the command was left to the virtual thread, and no thread has found it")
    @State
    public static class NoCommandIsSleptThrough {

        private static final long LONGEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
        private static final Duration LONGEST = Duration.ofSeconds(2);
        private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

        private final Meeting start = new Meeting();
        private final LoopOwnership ownership = new LoopOwnership(this::wakeDefaultOwner);
        private volatile boolean queued;
        private volatile boolean found;
        private final VirtualThreadDriver driver = driver();
        private volatile boolean left;
        private volatile @Nullable Thread commander;

        private VirtualThreadDriver driver() {
            VirtualThreadDriver created =
                    new VirtualThreadDriver("stress", ownership, this::runCycle, new YieldBackoff(), NanoClock.SYSTEM);
            ownership.attach(created);
            return created;
        }

        /** A duty cycle of the loop, or of the polling thread that was woken and runs it. */
        private int runCycle() {
            boolean finds = queued && !found;
            if (finds) {
                found = true;
            }
            return finds ? 1 : 0;
        }

        private void runCycleOnce() {
            int _ = runCycle();
        }

        /**
         * Called if the thread with the command does not leave it to the driver, or if the driver has ended and wakes
         * the polling thread.
         */
        private void wakeDefaultOwner() {
            if (Thread.currentThread().equals(commander)) {
                left = false;
            } else {
                runCycleOnce();
            }
        }

        /** Returns whether the command is left to the driver. Only virtual threads leave commands to it. */
        private boolean wake() {
            left = true;
            Thread thread = Thread.ofVirtual().unstarted(ownership::wake);
            commander = thread;
            thread.start();
            boolean _ = Uninterrupted.join(thread, LONGEST);
            return left;
        }

        private static void pause() {
            long since = System.nanoTime();
            long nanos = ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS);
            while (System.nanoTime() - since < nanos) {
                Thread.onSpinWait();
            }
        }

        /** A thread with commands: the first one makes the virtual thread run the loop. */
        @Actor
        public void caller(ZZ_Result r) {
            boolean _ = wake();
            start.await();
            pause();
            queued = true;
            r.r1 = wake();
        }

        /** The polling thread. */
        @Actor
        public void pollingThread() {
            start.await();
            pause();
            if (ownership.tryAcquire()) {
                ownership.stopDriving();
                runCycleOnce();
                ownership.release();
            }
        }

        /** After both. */
        @Arbiter
        public void end(ZZ_Result r) {
            long since = System.nanoTime();
            while (r.r1 && !found && System.nanoTime() - since < LOST_NANOS) {
                Thread.onSpinWait();
            }
            r.r2 = found;
            driver.end();
        }
    }
}
