package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.events.RetransmissionEvent;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import java.util.concurrent.TimeUnit;

/** The client's timed work: deadlines, retransmissions, retries, return of credits. Engine thread only. */
final class ClientTimers {

    /** Pause before a retry if memory is short or a packet has not been sent yet. */
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How long an idle session keeps borrowed credits. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final EngineContext context;
    private final ClientRequests requests;
    private final ClientCallTermination termination;
    private final ClientControlPackets controlPackets;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final int retransmitLimit;

    ClientTimers(
            EngineContext context,
            ClientRequests requests,
            ClientCallTermination termination,
            ClientControlPackets controlPackets,
            Transmitter transmitter) {
        this.context = context;
        this.requests = requests;
        this.termination = termination;
        this.controlPackets = controlPackets;
        this.transmitter = transmitter;
        this.counters = context.counters();
        this.retransmitLimit = context.config().retransmit().maxAttempts();
    }

    /** Handles the due deadlines, retransmissions and retries of a session. */
    void onTimer(ClientSession session, long nowNanos) {
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                if (slot != null) {
                    watch(session, slot, nowNanos);
                }
            }
        }
        if (session.hasBacklog()) {
            if (nowNanos - session.backlogDueNanos >= 0) {
                termination.expireBacklog(session, nowNanos);
            }
            requests.startWaiting(session, nowNanos);
        }
        if (session.activeSlots == 0 && !session.hasBacklog()) {
            returnCredits(session, nowNanos);
        }
        armAgain(session, nowNanos);
    }

    /** Returns the borrowed credits of an idle session, repeatedly until the server has confirmed the return. */
    private void returnCredits(ClientSession session, long nowNanos) {
        if (!session.isOpen() || !session.credits.isReturnDue()) {
            return;
        }
        long due = session.idleSinceNanos + IDLE_NANOS;
        if (nowNanos - due >= 0) {
            session.credits.giveBack();
            controlPackets.returnCredits(session);
            due = nowNanos + IDLE_NANOS;
        }
        context.timers().armBy(session, due);
    }

    private void armAgain(ClientSession session, long nowNanos) {
        if (session.hasBacklog()) {
            context.timers().armBy(session, session.backlogDueNanos);
        }
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                if (slot != null && slot.call != null) {
                    context.timers().armBy(session, due(session, slot, nowNanos));
                }
            }
        }
    }

    /**
     * Returns when a slot is due: at its deadline, at its next send, or soon if the packet of that send has not left.
     */
    long due(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = Expect.present(slot.call);
        long due = call.hasEnded() ? nowNanos + ClientCallTermination.IDLE_CHECK_NANOS : call.deadlineNanos;
        if (session.isOpen() && isAwaitingResponse(slot)) {
            long again = slot.retransmitNanos - nowNanos > 0 ? slot.retransmitNanos : nowNanos + RETRY_NANOS;
            due = again - due < 0 ? again : due;
        }
        return due;
    }

    private static boolean isAwaitingResponse(ClientSlot slot) {
        return slot.is(ClientSlot.State.SENT) || slot.is(ClientSlot.State.ABANDONED);
    }

    /** Checks one slot that waits for its server: first the deadline, then the retransmission. */
    private void watch(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = slot.call;
        if (call == null) {
            return;
        }
        if (call.hasExpired(nowNanos) && !call.hasEnded()) {
            termination.expire(session, slot, call, nowNanos);
        }
        if (!isAwaitingResponse(slot)
                || nowNanos - slot.retransmitNanos < 0
                || transmitter.isAtNic(Expect.present(slot.packet))) {
            return;
        }
        if (slot.sends >= retransmitLimit) {
            session.terminate("no response after " + slot.sends + " sends of one request in "
                    + TimeUnit.NANOSECONDS.toMillis(nowNanos - slot.sentNanos) + " ms");
            return;
        }
        counters.increment(Counter.RETRANSMISSIONS);
        RetransmissionEvent.ofRequest(session.info().peer(), slot.sends, nowNanos - slot.sentNanos, slot.timeoutNanos);
        slot.retransmitted = true;
        slot.timeoutNanos = session.roundTrips.backOff(slot.timeoutNanos);
        requests.retransmit(slot, call, nowNanos);
    }
}
