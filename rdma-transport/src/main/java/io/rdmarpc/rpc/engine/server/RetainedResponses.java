package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.concurrent.WheelTimer;
import java.util.concurrent.TimeUnit;

/**
 * Large answers that a client has not released. The release may have been lost, and then the client has forgotten the
 * call: so the answer goes out again from time to time. A client that is done with it releases it again; one that still
 * READs it takes no notice. Freeing it instead would pull memory from under a READ. Engine thread only.
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

    /** A large answer has been sent. */
    void onSent(long nowNanos) {
        timers.armBy(this, nowNanos + INTERVAL_NANOS);
    }

    /** The session has ended. */
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

    /** Each answer has its own half second; the timer goes off for the next of them. */
    private void watch(ServerSlot slot, long nowNanos) {
        if (nowNanos - slot.answeredNanos >= INTERVAL_NANOS) {
            slot.answeredNanos = nowNanos;
            responses.repeat(slot);
        }
        timers.armBy(this, slot.answeredNanos + INTERVAL_NANOS);
    }
}
