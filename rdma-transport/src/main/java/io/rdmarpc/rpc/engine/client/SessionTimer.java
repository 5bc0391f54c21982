package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.concurrent.WheelTimer;

/**
 * The next time something may be due in a calling session: a retransmission or a deadline. There is one per session, not
 * per call: a call that is answered leaves it armed, and it is set anew when it finds nothing due. So a call costs a
 * comparison, and a session without calls nothing.
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
            // Whose deadlines cannot be looked after must not wait for them.
            session.breakOff("the engine failed on its timer: " + e);
            throw e;
        }
    }
}
