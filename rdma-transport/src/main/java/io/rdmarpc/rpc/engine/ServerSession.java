package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.Nullable;

/** The answering end of a session. Its slots belong to the engine thread. */
public final class ServerSession extends EngineSession {

    final ServerSlot[] slots;
    final KeptAnswers keptAnswers;
    final ServerCredits credits;
    private final EventLoop loop;
    /** Only streams need it here: made when the first one is sent on. */
    private @Nullable RoundTrips times;

    /**
     * Makes the answering end of a session; {@link Sessions#add(ServerSession, Runnable)} brings it to life.
     *
     * @param loop the engine
     * @param terms what was negotiated
     * @param host the control side
     */
    public ServerSession(EventLoop loop, SessionTerms terms, SessionHost host) {
        super(terms, loop, host);
        this.loop = loop;
        this.keptAnswers = new KeptAnswers(this, loop.serverResponses(), loop.timers());
        int window = terms.info().window();
        this.credits = new ServerCredits(loop.creditPool(), window);
        this.slots = new ServerSlot[window];
        for (int i = 0; i < window; i++) {
            slots[i] = new ServerSlot(i);
        }
    }

    @Override
    RoundTrips times() {
        RoundTrips known = times;
        if (known == null) {
            known = RoundTrips.of(loop.config());
            times = known;
        }
        return known;
    }

    ServerSlot slotOf(long requestIndex) {
        return slots[slotIndex(requestIndex, slots.length)];
    }
}
