package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import org.jspecify.annotations.Nullable;

/**
 * The completion of a call whose caller owns the loop and waits for the response. The caller continues with the
 * response at once. The rest of the completion is deferred, and slot, credit and packet stay with the call. The
 * caller's next call reuses them without releasing and acquiring them again. If other work needs them first, the rest
 * of the completion runs before that work.
 *
 * <pre>
 *            defer                       markLast
 *   NONE  ---------->  PENDING  ------------------------->  LAST
 *    ^                  |   ^                                |
 *    |     complete     |   +--- returnSlot ---+             |     complete
 *    +------------------+                      |             +----------------> NONE
 *    |                                         |             |
 *    +--------------- takeSlot ----------------+-------------+
 *                     (the session's next call)
 * </pre>
 *
 * <ul>
 *   <li>PENDING: other work may follow in the same duty cycle.
 *   <li>LAST: only this completion and the maintenance phase are left to do, and no thread waits for either.
 * </ul>
 *
 * <p>{@link #complete} runs before the next packet, before any other call, and before the loop's own commands. It also
 * runs in the maintenance phase, at the start of the next duty cycle, and when the loop stops.
 *
 * <p>Owner of the loop only.
 */
@SuppressWarnings("ReferenceEquality") // identity of the session and the slot
public final class DeferredCompletion {

    private static final int NONE = 0;
    private static final int PENDING = 1;
    private static final int LAST = 2;

    private final ClientRequests requests;
    private final Transmitter transmitter;

    private int state = NONE;
    // A reference that is already there is not stored again, because each store costs a fence.
    private @Nullable ClientSession session;
    private @Nullable ClientSlot slot;
    private long endedNanos;

    DeferredCompletion(ClientRequests requests, Transmitter transmitter) {
        this.requests = requests;
        this.transmitter = transmitter;
    }

    /**
     * Returns whether the completion of a slot's call can be deferred. Its caller must own the loop and wait for this
     * response only. Its small request must have been sent once. No call may wait for a resource that the completion
     * releases.
     */
    boolean canDefer(ClientSession of, ClientSlot ended) {
        Call call = Expect.present(ended.call);
        PreparedCall prepared = call.hasEnded() ? null : call.prepared();
        return prepared != null
                && prepared.isStartedByOwner()
                && !ended.retransmitted
                && ended.lent == null
                && of.rate == null
                && !of.hasBacklog()
                && !transmitter.isAtNic(Expect.present(ended.packet));
    }

    /**
     * Defers the completion of a slot's call, after completing the one that is deferred now. The call itself is
     * recycled.
     */
    void defer(ClientSession of, ClientSlot ended, long nowNanos) {
        complete();
        ClientRequests.freeCall(ended);
        if (session != of) {
            session = of;
        }
        if (slot != ended) {
            slot = ended;
        }
        endedNanos = nowNanos;
        state = PENDING;
    }

    /** Returns whether a completion is deferred. */
    public boolean isDeferred() {
        return state != NONE;
    }

    /** Returns whether the completion of a slot's call is deferred. */
    public boolean isOf(ClientSlot ended) {
        return state != NONE && slot == ended;
    }

    /** Returns whether only a completion and the maintenance phase are left to do. */
    public boolean isLast() {
        return state == LAST;
    }

    /** Marks that only the deferred completion and the maintenance phase remain in this duty cycle. */
    public void markLast() {
        state = LAST;
    }

    /** Runs the deferred completion, if there is one. */
    public void complete() {
        if (state != NONE) {
            state = NONE;
            ClientSlot ended = Expect.present(slot);
            measure(ended);
            requests.freeSlot(Expect.present(session), ended, endedNanos);
        }
    }

    /**
     * Returns whether a session's next call can take over the slot: the session has no other call, and its credits
     * allow one.
     */
    boolean canTakeSlot(ClientSession requester) {
        return state != NONE && session == requester && requester.activeSlots == 1 && requester.credits.isAllowed(0);
    }

    /**
     * Returns the slot for the session's next call, with a packet that the NIC no longer uses. The caller {@linkplain
     * #measure measures} it.
     */
    ClientSlot takeSlot() {
        state = NONE;
        ClientSlot next = Expect.present(slot);
        Expect.present(session).slotFreed(next);
        return next;
    }

    /** Defers the completion again, because the next call could not use the slot. */
    void returnSlot() {
        Expect.present(session).slotTaken(Expect.present(slot));
        state = PENDING;
    }

    /** Records the round trip of the call, before the slot begins its next one. */
    void measure(ClientSlot ended) {
        Expect.present(session).roundTrips.measured(endedNanos - ended.sentNanos);
    }
}
