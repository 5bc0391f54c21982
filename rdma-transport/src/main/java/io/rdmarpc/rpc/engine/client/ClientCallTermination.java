package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.concurrent.TimeText;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.concurrent.TimeUnit;

/** Client, calls that end without an answer: their time is over, their caller gives up, their session ends. Engine thread only. */
public final class ClientCallTermination {

    /** When nothing is due. */
    static final long IDLE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EngineContext context;
    private final ClientRequests requests;
    private final ClientControlPackets hints;
    private final EngineCounters counters;

    ClientCallTermination(EngineContext context, ClientRequests requests, ClientControlPackets hints) {
        this.context = context;
        this.requests = requests;
        this.hints = hints;
        this.counters = context.counters();
    }

    /** A call that was not sent, and will not be. */
    void refuse(Call call) {
        call.request().free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(call.session.notSent());
        call.recycle();
    }

    /**
     * A call could not be started. One that has a slot or waits for one goes on, and time looks after it; any other one ends here.
     *
     * @param counted whether it counts as one that was started
     */
    void failedToStart(Call call, Throwable why, boolean counted) {
        if (call.hasEnded()) {
            return;
        }
        ClientSession session = call.session;
        if (session.hasInHand(call)) {
            context.timers().armBy(session.timer, context.clock().nanoTime());
            return;
        }
        if (!counted) {
            counters.increment(Counter.CALLS_STARTED);
        }
        counters.increment(Counter.CALLS_FAILED);
        call.fail(new RdmaRpcException(
                RpcStatus.INTERNAL,
                "the engine failed on the call to " + session.info().peer() + " before it was sent, so it did not run: "
                        + why + ". Look for that in the log of this process",
                why));
        call.request().free();
        call.recycle();
    }

    private void refuseBacklog(ClientSession session) {
        while (session.hasBacklog()) {
            counters.add(Counter.BACKLOG, -1);
            refuse(session.backlog().removeFirst());
        }
    }

    /**
     * The server is stopping. It does not READ a request that it does not run, so the memory of each is free.
     *
     * @param lasts the last request index of each slot that it runs
     */
    public void leave(ClientSession session, long[] lasts, long nowNanos) {
        refuseBacklog(session);
        for (int i = 0; i < session.slots.length; i++) {
            ClientSlot slot = session.slots[i];
            Call call = slot.call;
            boolean waits = slot.is(ClientSlot.State.SENT) || slot.is(ClientSlot.State.ABANDONED);
            if (call != null && waits && slot.requestIndex > lasts[i]) {
                if (!call.hasEnded()) {
                    counters.increment(Counter.CALLS_FAILED);
                    call.fail(session.notRun("it came too late"));
                }
                requests.finish(session, slot, nowNanos);
            }
        }
    }

    /** The server has refused a call because it is stopping; what it does with the others it will say. */
    public void leave(ClientSession session) {
        if (session.markLeaving()) {
            session.host.serverStops();
        }
        refuseBacklog(session);
    }

    /** The time of a call in a slot is over. */
    void expire(ClientSession session, ClientSlot slot, Call call, long nowNanos) {
        giveUp(session, slot, call, timeout(session, call, progress(slot)), nowNanos);
    }

    /** What is known here of a call that was sent. */
    private static String progress(ClientSlot slot) {
        if (slot.is(ClientSlot.State.READING)) {
            return "its response was on the way";
        }
        if (slot.known) {
            return "the server has it and had not answered";
        }
        return slot.sends == 1 ? "it was sent once" : "it was sent " + slot.sends + " times";
    }

    /** Fails the call now. Its slot follows when neither the NIC nor the server can touch its memory any more. */
    private void giveUp(ClientSession session, ClientSlot slot, Call call, RdmaRpcException why, long nowNanos) {
        counters.increment(Counter.CALLS_FAILED);
        call.fail(why);
        if (!slot.is(ClientSlot.State.SENT)) {
            return;
        }
        hints.cancel(session, slot.requestIndex);
        if (slot.lent == null) {
            requests.finish(session, slot, nowNanos);
        } else {
            slot.become(ClientSlot.State.ABANDONED);
            slot.retransmitNanos = nowNanos;
        }
    }

    /** The caller gives a call up, if it has not ended yet; one that is still on its way here ends when it comes. */
    void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos) {
        for (ClientSlot slot : session.slots) {
            Call call = slot.call;
            if (call != null && call.isFor(handler) && !call.hasEnded()) {
                counters.increment(Counter.CALLS_CANCELLED);
                giveUp(session, slot, call, cancelled(session, progress(slot)), nowNanos);
                return;
            }
        }
        boolean waited =
                session.hasBacklog() && session.backlog().removeIf(call -> call.isFor(handler) && cancelWaiting(call));
        Call moving = session.moving(handler);
        if (moving != null) {
            cancelMoving(session, moving);
        } else if (!waited) {
            session.cancelledEarly(handler, atNanos);
        }
    }

    /** Its memory is somebody else's at the moment: the session takes it back when that one is done. */
    private void cancelMoving(ClientSession session, Call call) {
        counters.increment(Counter.CALLS_STARTED);
        counters.increment(Counter.CALLS_CANCELLED);
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(session, "it was not sent"));
    }

    private boolean cancelWaiting(Call call) {
        counters.add(Counter.BACKLOG, -1);
        cancelUnsent(call);
        return true;
    }

    /** Its memory is nobody else's. */
    void cancelUnsent(Call call) {
        counters.increment(Counter.CALLS_CANCELLED);
        call.request().free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(call.session, "it was not sent"));
        call.recycle();
    }

    private static RdmaRpcException cancelled(ClientSession session, String how) {
        return new RdmaRpcException(
                RpcStatus.CANCELLED,
                "the caller cancelled the call to " + session.info().peer() + "; " + how);
    }

    /** Ends what has waited too long for a slot, and says when the next one will have. */
    void expireBacklog(ClientSession session, long nowNanos) {
        session.backlog().removeIf(call -> {
            if (!call.hasExpired(nowNanos)) {
                return false;
            }
            counters.add(Counter.BACKLOG, -1);
            call.request().free();
            counters.increment(Counter.CALLS_FAILED);
            call.fail(timeout(session, call, "it was still waiting for one of " + session.slots.length + " slots"));
            call.recycle();
            return true;
        });
        long due = nowNanos + IDLE_LOOK_NANOS;
        for (Call call : session.backlog()) {
            due = call.deadlineNanos - due < 0 ? call.deadlineNanos : due;
        }
        session.backlogDueNanos = due;
    }

    private static RdmaTimeoutException timeout(ClientSession session, Call call, String how) {
        return new RdmaTimeoutException("no answer from " + session.info().peer() + " in "
                + TimeText.of(call.timeoutNanos) + "; " + how
                + ". The call may or may not have run: allow more time, or look at the server's load");
    }

    /** The session is over: everything that waits fails. */
    void failAll(ClientSession session, long nowNanos) {
        context.timers().cancel(session.timer);
        for (ClientSlot slot : session.slots) {
            try {
                fail(session, slot, nowNanos);
            } catch (Throwable e) {
                context.failures().caught("the end of a call", e);
            }
        }
        refuseBacklog(session);
    }

    private void fail(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = slot.call;
        if (call == null) {
            return;
        }
        if (!call.hasEnded()) {
            counters.increment(Counter.CALLS_FAILED);
            call.fail(session.unavailable());
        }
        if (!slot.is(ClientSlot.State.READING)) {
            requests.finish(session, slot, nowNanos);
        }
    }
}
