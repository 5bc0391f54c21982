package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import java.util.concurrent.TimeUnit;

/** Client, what time brings: deadlines, retransmissions, another try, credits that go back. Engine thread only. */
final class ClientTimers {

    /** Pause before another try when memory is short or a packet has not left. */
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How long a session keeps borrowed credits without a call. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final EngineContext context;
    private final ClientRequests requests;
    private final ClientCallTermination endings;
    private final ClientControlPackets hints;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final int retransmitLimit;

    ClientTimers(
            EngineContext context,
            ClientRequests requests,
            ClientCallTermination endings,
            ClientControlPackets hints,
            Transmitter transmitter) {
        this.context = context;
        this.requests = requests;
        this.endings = endings;
        this.hints = hints;
        this.transmitter = transmitter;
        this.counters = context.counters();
        this.retransmitLimit = context.config().retransmit().maxAttempts();
    }

    /** The time has come for something in a session: a deadline, a retransmission, another try. */
    void onTimer(ClientSession session, long nowNanos) {
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                watch(session, slot, nowNanos);
            }
        }
        if (session.hasBacklog()) {
            if (nowNanos - session.backlogDueNanos >= 0) {
                endings.expireBacklog(session, nowNanos);
            }
            requests.startWaiting(session, nowNanos);
        }
        if (session.activeSlots == 0 && !session.hasBacklog()) {
            returnCredits(session, nowNanos);
        }
        armAgain(session, nowNanos);
    }

    /** An idle session gives back what it has borrowed; again and again, until the server has heard it. */
    private void returnCredits(ClientSession session, long nowNanos) {
        if (!session.isOpen() || !session.credits.isReturnDue()) {
            return;
        }
        long due = session.idleSinceNanos + IDLE_NANOS;
        if (nowNanos - due >= 0) {
            session.credits.giveBack();
            hints.returnCredits(session);
            due = nowNanos + IDLE_NANOS;
        }
        context.timers().armBy(session.timer, due);
    }

    private void armAgain(ClientSession session, long nowNanos) {
        if (session.hasBacklog()) {
            context.timers().armBy(session.timer, session.backlogDueNanos);
        }
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                if (slot.call != null) {
                    context.timers().armBy(session.timer, due(session, slot, nowNanos));
                }
            }
        }
    }

    /** When a slot has to be looked at: its deadline, its next send, or soon when that one's packet has not left. */
    long due(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = Expect.present(slot.call);
        long due = call.hasEnded() ? nowNanos + ClientCallTermination.IDLE_LOOK_NANOS : call.deadlineNanos;
        if (session.isOpen() && isAwaitingAnswer(slot)) {
            long again = slot.retransmitNanos - nowNanos > 0 ? slot.retransmitNanos : nowNanos + RETRY_NANOS;
            due = again - due < 0 ? again : due;
        }
        return due;
    }

    private static boolean isAwaitingAnswer(ClientSlot slot) {
        return slot.is(ClientSlot.State.SENT) || slot.is(ClientSlot.State.ABANDONED);
    }

    /** Looks after one slot that waits for its server: time-out, then retransmission. */
    private void watch(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = slot.call;
        if (call == null) {
            return;
        }
        if (call.hasExpired(nowNanos) && !call.hasEnded()) {
            endings.expire(session, slot, call, nowNanos);
        }
        if (!isAwaitingAnswer(slot)
                || nowNanos - slot.retransmitNanos < 0
                || transmitter.isAtNic(Expect.present(slot.packet))) {
            return;
        }
        if (slot.sends >= retransmitLimit) {
            session.breakOff("no sign of life after " + slot.sends + " sends of one request in "
                    + TimeUnit.NANOSECONDS.toMillis(nowNanos - slot.sentNanos) + " ms");
            return;
        }
        counters.increment(Counter.RETRANSMISSIONS);
        slot.repeated = true;
        slot.timeoutNanos = session.roundTrips.backOff(slot.timeoutNanos);
        requests.repeat(slot, call, nowNanos);
    }
}
