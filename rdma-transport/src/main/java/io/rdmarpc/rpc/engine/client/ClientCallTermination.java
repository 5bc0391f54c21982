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
import org.jspecify.annotations.Nullable;

/**
 * The client's calls that end without a response: on timeout, on cancellation, or with their session. Engine thread
 * only.
 */
public final class ClientCallTermination {

    /** Interval of checks while nothing is due. */
    static final long IDLE_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EngineContext context;
    private final ClientRequests requests;
    private final ClientControlPackets controlPackets;
    private final EngineCounters counters;

    ClientCallTermination(EngineContext context, ClientRequests requests, ClientControlPackets controlPackets) {
        this.context = context;
        this.requests = requests;
        this.controlPackets = controlPackets;
        this.counters = context.counters();
    }

    /** Fails a call that was not sent and will not be sent. */
    void reject(Call call) {
        call.request().free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(call.session.notSent());
        call.recycle();
    }

    /**
     * Handles a failure to start a call. A call that has a slot or waits for one continues, and the session's timer
     * retransmits or ends it. Any other call ends in this method.
     *
     * @param counted whether the call was counted as started
     */
    void failedToStart(Call call, Throwable why, boolean counted) {
        if (call.hasEnded()) {
            return;
        }
        ClientSession session = call.session;
        if (session.holds(call)) {
            context.timers().armBy(session, context.clock().nanoTime());
            return;
        }
        if (!counted) {
            counters.increment(Counter.CALLS_STARTED);
        }
        counters.increment(Counter.CALLS_FAILED);
        call.fail(new RdmaRpcException(
                RpcStatus.INTERNAL,
                "the call to " + session.info().peer() + " was not sent because of an internal failure, and has "
                        + "not run: "
                        + why + ". See the log of this process",
                why));
        call.request().free();
        call.recycle();
    }

    private void rejectBacklog(ClientSession session) {
        while (session.hasBacklog()) {
            counters.add(Counter.BACKLOG, -1);
            reject(session.backlog().removeFirst());
        }
    }

    /**
     * Ends the calls that a stopping server does not run. The server does not READ the request of such a call, so its
     * memory is free.
     *
     * @param lasts the last request index of each slot that the server runs
     */
    public void onServerStopping(ClientSession session, long[] lasts, long nowNanos) {
        rejectBacklog(session);
        for (int i = 0; i < session.slots.length; i++) {
            ClientSlot slot = session.slots[i];
            if (slot == null) {
                continue;
            }
            Call call = slot.call;
            boolean waits = slot.is(ClientSlot.State.SENT) || slot.is(ClientSlot.State.ABANDONED);
            if (call != null && waits && slot.requestIndex > lasts[i]) {
                if (!call.hasEnded()) {
                    counters.increment(Counter.CALLS_FAILED);
                    call.fail(session.notRun("it arrived too late"));
                }
                requests.finish(session, slot, nowNanos);
            }
        }
    }

    /**
     * Handles the response of a stopping server that has rejected a call. The server will report the calls that it
     * still runs.
     */
    public void onServerStopping(ClientSession session) {
        if (session.markServerStopping()) {
            session.host.serverStops();
        }
        rejectBacklog(session);
    }

    /** Ends a call in a slot at its deadline. */
    void expire(ClientSession session, ClientSlot slot, Call call, long nowNanos) {
        terminate(
                session,
                slot,
                call,
                timeout(session, call, progress(slot) + ". The call may or may not have run"),
                nowNanos);
    }

    /** Describes the progress of a call that was sent, for messages. */
    private static String progress(ClientSlot slot) {
        if (slot.is(ClientSlot.State.READING)) {
            return "its response was being read";
        }
        if (slot.known) {
            return "the server has received the request but has not responded";
        }
        return slot.sends == 1 ? "the request was sent once" : "the request was sent " + slot.sends + " times";
    }

    /** Fails the call now. Its slot is freed when neither the NIC nor the server can access its memory any more. */
    private void terminate(ClientSession session, ClientSlot slot, Call call, RdmaRpcException why, long nowNanos) {
        counters.increment(Counter.CALLS_FAILED);
        call.fail(why);
        if (!slot.is(ClientSlot.State.SENT)) {
            return;
        }
        controlPackets.cancel(session, slot.requestIndex);
        if (slot.lent == null) {
            requests.finish(session, slot, nowNanos);
        } else {
            slot.become(ClientSlot.State.ABANDONED);
            slot.retransmitNanos = nowNanos;
        }
    }

    /** Cancels a call that has not ended. A call that has not reached the engine yet is cancelled when it does. */
    void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos) {
        for (ClientSlot slot : session.slots) {
            Call call = slot == null ? null : slot.call;
            if (slot != null && call != null && call.isFor(handler) && !call.hasEnded()) {
                counters.increment(Counter.CALLS_CANCELLED);
                terminate(session, slot, call, cancelled(session, progress(slot)), nowNanos);
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

    /**
     * Cancels a call whose memory another thread is using. The session frees the memory when that thread has finished.
     */
    private void cancelMoving(ClientSession session, Call call) {
        counters.increment(Counter.CALLS_STARTED);
        counters.increment(Counter.CALLS_CANCELLED);
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(session, "the request was not sent"));
    }

    private boolean cancelWaiting(Call call) {
        counters.add(Counter.BACKLOG, -1);
        cancelUnsent(call);
        return true;
    }

    /** Cancels a call whose memory no other thread uses. */
    void cancelUnsent(Call call) {
        counters.increment(Counter.CALLS_CANCELLED);
        call.request().free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(call.session, "the request was not sent"));
        call.recycle();
    }

    private static RdmaRpcException cancelled(ClientSession session, String how) {
        return new RdmaRpcException(
                RpcStatus.CANCELLED,
                "the caller cancelled the call to " + session.info().peer() + ": " + how);
    }

    /** Ends the backlog's calls whose deadline has passed, and determines when the next one expires. */
    void expireBacklog(ClientSession session, long nowNanos) {
        session.backlog().removeIf(call -> {
            if (!call.hasExpired(nowNanos)) {
                return false;
            }
            counters.add(Counter.BACKLOG, -1);
            call.request().free();
            counters.increment(Counter.CALLS_FAILED);
            call.fail(timeout(
                    session,
                    call,
                    "the call was still waiting for one of " + session.slots.length + " slots. It was not sent"));
            call.recycle();
            return true;
        });
        long due = nowNanos + IDLE_CHECK_NANOS;
        for (Call call : session.backlog()) {
            due = call.deadlineNanos - due < 0 ? call.deadlineNanos : due;
        }
        session.backlogDueNanos = due;
    }

    private static RdmaTimeoutException timeout(ClientSession session, Call call, String how) {
        return new RdmaTimeoutException("no response from " + session.info().peer() + " within "
                + TimeText.of(call.timeoutNanos) + "; " + how
                + ": use a longer timeout, or check the server's load");
    }

    /** Fails all calls of a session that has ended. */
    void failAll(ClientSession session, long nowNanos) {
        context.timers().cancel(session);
        for (ClientSlot slot : session.slots) {
            try {
                fail(session, slot, nowNanos);
            } catch (Throwable e) {
                context.failures().caught("the end of a call", e);
            }
        }
        rejectBacklog(session);
    }

    private void fail(ClientSession session, @Nullable ClientSlot slot, long nowNanos) {
        Call call = slot == null ? null : slot.call;
        if (slot == null || call == null) {
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
