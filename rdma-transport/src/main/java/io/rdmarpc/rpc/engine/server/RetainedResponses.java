package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.concurrent.TimerWheel;
import java.util.concurrent.TimeUnit;

/**
 * The large responses that a client has not released. If a release was lost, the client no longer knows the call. Each
 * response is therefore sent again at intervals. A client that no longer needs it releases it again, and a client that
 * is still READing it ignores it. Freeing the response instead would invalidate memory during a READ. Engine thread
 * only.
 */
public final class RetainedResponses {

    public static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ServerResponses responses;
    private final TimerWheel timers;

    RetainedResponses(ServerResponses responses, TimerWheel timers) {
        this.responses = responses;
        this.timers = timers;
    }

    /** Arms the session's timer after a large response was sent. */
    void onSent(ServerSession session, long nowNanos) {
        timers.armBy(session, nowNanos + INTERVAL_NANOS);
    }

    /** Stops the timer when the session has ended. */
    void stop(ServerSession session) {
        timers.cancel(session);
    }

    /** Handles the session's timer. */
    void onDue(ServerSession session, long nowNanos) {
        for (ServerSlot slot : session.slots) {
            if (slot != null && slot.lent != null) {
                watch(session, slot, nowNanos);
            }
        }
    }

    /** Sends a response again after its interval. The timer is armed for the earliest response. */
    private void watch(ServerSession session, ServerSlot slot, long nowNanos) {
        if (nowNanos - slot.sentNanos >= INTERVAL_NANOS) {
            slot.sentNanos = nowNanos;
            responses.resend(session, slot);
        }
        timers.armBy(session, slot.sentNanos + INTERVAL_NANOS);
    }
}
