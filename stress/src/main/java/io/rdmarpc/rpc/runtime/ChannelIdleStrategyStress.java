package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.BusySpinIdleStrategy;
import io.rdmarpc.stress.Meeting;
import io.rdmarpc.verbs.CompletionChannel;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Sleeping on a completion channel, and wake-ups: {@link ChannelIdleStrategy}. */
public final class ChannelIdleStrategyStress {

    private ChannelIdleStrategyStress() {}

    /**
     * A channel that keeps a wake-up until a thread waits. The wait ends after a wake-up, or if no further one can
     * arrive.
     */
    private static final class Channel implements CompletionChannel {

        private volatile boolean woken;
        private volatile boolean over;
        private boolean waited;

        @Override
        public int await(Duration timeout) {
            waited = true;
            while (!woken && !over) {
                Thread.onSpinWait();
            }
            return 0;
        }

        @Override
        public void wakeUp() {
            woken = true;
        }

        @Override
        public void close() {}
    }

    /** A command is queued before the loop sleeps, while it goes to sleep, and while it sleeps. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "the loop sleeps, and the wake-up is lost")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "the loop sees the command, or is woken")
    @State
    public static class WakeUp {

        private final Meeting start = new Meeting();
        private final Channel channel = new Channel();
        private volatile boolean published;
        private final ChannelIdleStrategy strategy = new ChannelIdleStrategy(
                channel,
                () -> 0,
                () -> published,
                () -> false,
                0,
                Duration.ofMillis(1),
                new YieldBackoff(),
                new BusySpinIdleStrategy());

        /** The loop. The first idle cycle arms the channel, the second one sleeps. */
        @Actor
        public void loop() {
            strategy.idle(0);
            start.await();
            strategy.idle(0);
        }

        /** The producer. */
        @Actor
        public void producer() {
            start.await();
            published = true;
            strategy.wake();
            channel.over = true;
        }

        /** After both. */
        @Arbiter
        public void end(ZZ_Result r) {
            r.r1 = channel.waited;
            r.r2 = channel.woken;
        }
    }
}
