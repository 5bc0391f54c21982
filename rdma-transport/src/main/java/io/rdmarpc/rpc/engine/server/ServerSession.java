package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.RoundTrips;
import io.rdmarpc.rpc.engine.session.SessionHost;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import org.jspecify.annotations.Nullable;

/** The server's end of a session. Its slots belong to the engine thread. */
public final class ServerSession extends EngineSession {

    public final ServerSlot[] slots;
    final RetainedResponses retainedResponses;
    public final ServerCredits credits;
    private final ServerResponses responses;
    /** Used only for streams, and created when the first stream item is retransmitted. */
    private @Nullable RoundTrips times;
    /** Whether the server is stopping. */
    private boolean draining;

    public ServerSession(
            SessionTerms terms,
            SessionHost host,
            EngineContext context,
            SlabPool slab,
            Transmitter transmitter,
            CreditPool creditPool,
            ServerResponses responses) {
        super(terms, host, context, slab, transmitter);
        this.responses = responses;
        this.retainedResponses = new RetainedResponses(this, responses, context.timers());
        int window = terms.info().window();
        this.credits = new ServerCredits(creditPool, window);
        this.slots = new ServerSlot[window];
        for (int i = 0; i < window; i++) {
            slots[i] = new ServerSlot(i);
        }
    }

    @Override
    public boolean isClient() {
        return false;
    }

    @Override
    public void endCalls(long nowNanos) {
        responses.releaseAll(this);
        credits.close();
    }

    @Override
    public RoundTrips times() {
        RoundTrips known = times;
        if (known == null) {
            known = RoundTrips.of(context.config());
            times = known;
        }
        return known;
    }

    /**
     * Rejects all calls that have not arrived yet.
     *
     * @return the last request index of each slot that the server runs
     */
    public long[] drain() {
        long[] lasts = new long[slots.length];
        for (int i = 0; i < lasts.length; i++) {
            ServerSlot slot = slots[i];
            if (!draining) {
                slot.lastIndex = slot.requestIndex;
            }
            lasts[i] = slot.lastIndex;
        }
        draining = true;
        return lasts;
    }

    public boolean isDraining() {
        return draining;
    }

    /**
     * Returns the number of calls that have arrived and whose responses the client has not received, as far as this
     * side knows.
     */
    public int unfinishedCalls() {
        int count = 0;
        for (ServerSlot slot : slots) {
            count += slot.isUnfinished() ? 1 : 0;
        }
        return count;
    }

    /**
     * Returns whether a stream is open. Thread-safe.
     *
     * @return false if all opened streams are over
     */
    public boolean hasStreams() {
        return streams.isInUse();
    }

    /**
     * Returns about how many requests have arrived. Thread-safe: other threads read the numbers of the engine thread
     * without synchronization, because they need only a measure of the load.
     *
     * @return a number that grows
     */
    public long requests() {
        long sum = 0;
        for (ServerSlot slot : slots) {
            sum += slot.requestIndex;
        }
        return sum / slots.length;
    }

    ServerSlot slotOf(long requestIndex) {
        return slots[slotIndex(requestIndex, slots.length)];
    }
}
