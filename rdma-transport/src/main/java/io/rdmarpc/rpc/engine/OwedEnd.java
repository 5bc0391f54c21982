package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.Nullable;

/**
 * The end of a call whose caller turns the loop itself and has gone on with its answer: what is left of it is not waited for.
 * Either the same caller's next call takes slot, credit and packet over and nothing is to be given back, or whoever turns the
 * loop next does that first.
 *
 * <pre>
 *   an answer -> owe -> the caller goes on -> its next call: slotForNext, sent, measure
 *                                          -> any other call, a turn, the next packet: settle
 * </pre>
 *
 * <p>Holder of the seat only.
 */
@SuppressWarnings("ReferenceEquality") // that very session, that very slot
final class OwedEnd {

    private final ClientRequests requests;
    private final Transmitter transmitter;

    // What is there already is not stored again: to store a reference costs a fence.
    private @Nullable ClientSession session;
    private @Nullable ClientSlot slot;
    private long endedNanos;
    private boolean owes;
    /** Only this end and the second half of a turn are left to do. */
    private boolean isOnlyWork;

    OwedEnd(ClientRequests requests, Transmitter transmitter) {
        this.requests = requests;
        this.transmitter = transmitter;
    }

    /** Tells whether a call's end may be put off: a small request that was sent once, and nothing waits for what it gives back. */
    boolean maybe(ClientSession of, ClientSlot ended) {
        return !ended.repeated
                && ended.lent == null
                && of.rate == null
                && !of.hasBacklog()
                && !transmitter.isAtNic(Expect.present(ended.packet));
    }

    /** Puts it off. The call itself is free. */
    void owe(ClientSession of, ClientSlot ended, long nowNanos) {
        settle();
        ClientRequests.freeCall(ended);
        if (session != of) {
            session = of;
        }
        if (slot != ended) {
            slot = ended;
        }
        endedNanos = nowNanos;
        owes = true;
    }

    /** Returns whether only this end and the second half of a turn are left to do. */
    boolean isOnlyWork() {
        return isOnlyWork;
    }

    void onlyWork(boolean nothingElseIsLeft) {
        isOnlyWork = nothingElseIsLeft;
    }

    /** Tells whether a caller has its answer and the rest is left to do. */
    boolean isOwed() {
        return owes;
    }

    /** Tells whether it is that of a slot. */
    boolean isOf(ClientSlot asked) {
        return owes && slot == asked;
    }

    /** Does what was put off, if anything was. */
    void settle() {
        if (owes) {
            owes = false;
            ClientSlot ended = Expect.present(slot);
            ClientSession of = Expect.present(session);
            measure(ended);
            requests.freeSlot(of, ended, endedNanos);
        }
    }

    /** Tells whether it is of a session that has no other call under way, and may have one. */
    boolean isOnlyOneOf(ClientSession asked) {
        return owes && session == asked && asked.activeSlots == 1 && asked.credits.isAllowed(0);
    }

    /** The slot for the session's next call, with a packet that has left. Nothing is owed any more but {@link #measure}. */
    ClientSlot slotForNext() {
        owes = false;
        ClientSlot next = Expect.present(slot);
        Expect.present(session).slotFreed(next);
        return next;
    }

    /** The next call does not take the slot: its end is owed again. */
    void takeBack(ClientSlot next) {
        Expect.present(session).slotTaken();
        owes = slot == next;
    }

    /** The round trip counts, before the slot begins anew. */
    void measure(ClientSlot ended) {
        Expect.present(session).roundTrips.measured(endedNanos - ended.sentNanos);
    }
}
