package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.concurrent.WheelTimer;
import java.util.concurrent.TimeUnit;

/**
 * The large responses that a client has not released. If a release was lost, the client no longer knows the call. Each
 * response is therefore sent again at intervals. A client that no longer needs it releases it again, and a client that
 * is still READing it ignores it. Freeing the response instead would invalidate memory during a READ. Engine thread
 * only.
 */
public final class RetainedResponses extends WheelTimer {

    public static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ServerSession session;
    private final ServerResponses responses;
    private final TimerWheel timers;

    RetainedResponses(ServerSession session, ServerResponses responses, TimerWheel timers) {
        this.session = session;
        this.responses = responses;
        this.timers = timers;
    }

    /** Arms the timer after a large response was sent. */
    void onSent(long nowNanos) {
        timers.armBy(this, nowNanos + INTERVAL_NANOS);
    }

    /** Stops the timer when the session has ended. */
    void stop() {
        timers.cancel(this);
    }

    @Override
    protected void onDue(long nowNanos) {
        for (ServerSlot slot : session.slots) {
            if (slot.lent != null) {
                watch(slot, nowNanos);
            }
        }
    }

    /** Sends a response again after its interval. The timer is armed for the earliest response. */
    private void watch(ServerSlot slot, long nowNanos) {
        if (nowNanos - slot.sentNanos >= INTERVAL_NANOS) {
            slot.sentNanos = nowNanos;
            responses.resend(slot);
        }
        timers.armBy(this, slot.sentNanos + INTERVAL_NANOS);
    }
}
