package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.concurrent.WheelTimer;

/**
 * The timer of a client session for its retransmissions and deadlines. There is one timer per session, not per call. A
 * completed call leaves the timer armed. If the timer finds nothing due, it is armed for the next due time. A call thus
 * costs one comparison, and an idle session costs nothing.
 */
final class SessionTimer extends WheelTimer {

    private final ClientSession session;
    private final ClientCalls calls;

    SessionTimer(ClientSession session, ClientCalls calls) {
        this.session = session;
        this.calls = calls;
    }

    @Override
    protected void onDue(long nowNanos) {
        try {
            calls.onTimer(session, nowNanos);
        } catch (Throwable e) {
            // The session must not wait for deadlines that cannot be checked any more.
            session.terminate("an internal failure of its timer: " + e);
            throw e;
        }
    }
}
