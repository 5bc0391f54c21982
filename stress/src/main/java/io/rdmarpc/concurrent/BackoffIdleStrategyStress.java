package io.rdmarpc.concurrent;

import io.rdmarpc.stress.Meeting;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Parking and wake-ups: {@link BackoffIdleStrategy}. */
public final class BackoffIdleStrategyStress {

    /** Park time of a thread that is never woken. */
    private static final Duration LOST = Duration.ofSeconds(2);

    private BackoffIdleStrategyStress() {}

    /** Work is published before the loop parks, while it parks, and afterwards. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the loop finds the work without waiting out its time")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the wake-up is lost")
    @State
    public static class WakeUp {

        private final Meeting start = new Meeting();
        private boolean work;
        private volatile boolean published;
        private final BackoffIdleStrategy strategy = new BackoffIdleStrategy(() -> published, 0, 0, LOST, LOST);

        /** The loop. */
        @Actor
        public void loop(I_Result r) {
            start.await();
            long since = System.nanoTime();
            while (!published) {
                strategy.idle(0);
            }
            r.r1 = work && System.nanoTime() - since < LOST.toNanos() ? 0 : 1;
        }

        /** The producer. */
        @Actor
        public void producer() {
            start.await();
            work = true;
            published = true;
            strategy.wake();
        }
    }
}
