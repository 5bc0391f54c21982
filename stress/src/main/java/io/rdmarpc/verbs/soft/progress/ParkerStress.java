package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.stress.Meeting;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The parkers in which the driver of an RNIC sleeps: {@link EpollParker}, {@link SelectorParker}. */
public final class ParkerStress {

    /** Sleep time from which the test assumes that the wake-up was lost. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private ParkerStress() {}

    private static int sleep(Parker sleeper) {
        long since = System.nanoTime();
        sleeper.sleep(LOST_NANOS);
        return System.nanoTime() - since < LOST_NANOS ? 0 : 1;
    }

    /** With native access. */
    @JCStressTest
    @Outcome(
            id = "0",
            expect = Expect.ACCEPTABLE,
            desc = "a wake-up before, during, or at the start of a sleep ends it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the wake-up is lost")
    @State
    public static class Epoll {

        private static final Parker SLEEPER = new EpollParker(new int[0], new int[0]);

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();

        /** The driver. */
        @Actor
        public void driver(I_Result r) {
            start.await();
            r.r1 = sleep(SLEEPER);
            end.awaitWithoutPause();
        }

        /** Wakes the driver. */
        @Actor
        public void waker() {
            start.await();
            SLEEPER.wakeUp();
            end.awaitWithoutPause();
        }
    }

    /** Without native access. */
    @JCStressTest
    @Outcome(
            id = "0",
            expect = Expect.ACCEPTABLE,
            desc = "a wake-up before, during, or at the start of a sleep ends it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the wake-up is lost")
    @State
    public static class Selector {

        private static final Parker SLEEPER = new SelectorParker(List.of());

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();

        /** The driver. */
        @Actor
        public void driver(I_Result r) {
            start.await();
            r.r1 = sleep(SLEEPER);
            end.awaitWithoutPause();
        }

        /** Wakes the driver. */
        @Actor
        public void waker() {
            start.await();
            SLEEPER.wakeUp();
            end.awaitWithoutPause();
        }
    }
}
