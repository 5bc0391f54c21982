package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.stress.Meeting;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A virtual thread that turns a loop for others: {@link VirtualTurns}. */
public final class VirtualTurnsStress {

    private VirtualTurnsStress() {}

    /** A command comes while the virtual thread turns the loop, while it ends that, and while the polling thread takes the loop from it. */
    @JCStressTest
    @Outcome(
            id = "true, true",
            expect = Expect.ACCEPTABLE,
            desc = "the virtual thread was to find the command, and a thread found it")
    @Outcome(
            id = "false, .*",
            expect = Expect.ACCEPTABLE,
            desc = "the thread with the command wakes the polling thread itself")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the virtual thread was to find the command, and no thread has looked")
    @State
    public static class NoCommandIsSleptThrough {

        private static final long LONGEST_TURNS_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
        private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

        private final Meeting start = new Meeting();
        private final LoopSeat seat = new LoopSeat();
        private volatile boolean queued;
        private volatile boolean found;
        private final VirtualTurns turns =
                new VirtualTurns("stress", seat, this::turn, this::look, new CoreOffer(), NanoClock.SYSTEM);

        /** A turn of the loop, or the polling thread that was woken and turns it. */
        private int turn() {
            boolean finds = queued && !found;
            if (finds) {
                found = true;
            }
            return finds ? 1 : 0;
        }

        private void look() {
            int _ = turn();
        }

        private static void pause() {
            long since = System.nanoTime();
            long nanos = ThreadLocalRandom.current().nextLong(LONGEST_TURNS_NANOS);
            while (System.nanoTime() - since < nanos) {
                Thread.onSpinWait();
            }
        }

        /** A thread with commands: the first one makes the virtual thread turn the loop. */
        @Actor
        public void caller(ZZ_Result r) {
            boolean _ = turns.ask();
            start.await();
            pause();
            queued = true;
            r.r1 = turns.ask();
        }

        /** The polling thread. */
        @Actor
        public void resident() {
            start.await();
            pause();
            if (seat.tryTake()) {
                turns.residentTurns();
                look();
                seat.leave();
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
            turns.end();
        }
    }
}
