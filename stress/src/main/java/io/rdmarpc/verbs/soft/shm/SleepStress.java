package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.stress.Meeting;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * An RNIC that goes to sleep while a peer on its host sends: {@link io.rdmarpc.verbs.soft.shm.layout.InboxState},
 * {@link Doorbell}.
 */
public final class SleepStress {

    private SleepStress() {}

    /**
     * The owner publishes that it sleeps and then checks for packets. The peer sends and then checks whether the owner
     * sleeps.
     */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "the owner sleeps, and the peer does not wake it")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "at least one of them sees what the other did")
    @State
    public static class SentWhileItFallsAsleep {

        private static final LinkPair PAIR = LinkPair.open();

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();

        /** The receiver. */
        @Actor
        public void owner(ZZ_Result r) {
            PAIR.ownerLink().endSleep();
            PAIR.receiveAll();
            start.await();
            r.r1 = PAIR.ownerLink().prepareSleep();
            end.awaitWithoutPause();
        }

        /** The sender. */
        @Actor
        public void peer(ZZ_Result r) {
            long rung = PAIR.peerLink().counters().bellsRung();
            start.await();
            PAIR.send();
            r.r2 = PAIR.peerLink().counters().bellsRung() > rung;
            end.awaitWithoutPause();
        }
    }
}
