package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.concurrent.WheelTimer;

/** The timer of a stream for its retransmissions and its deadline. */
final class StreamTimer extends WheelTimer {

    private final EngineStream stream;

    StreamTimer(EngineStream stream) {
        this.stream = stream;
    }

    @Override
    protected void onDue(long nowNanos) {
        try {
            stream.watch(nowNanos);
        } catch (Throwable e) {
            stream.session().terminate("an internal failure of the timer of a stream: " + e);
            throw e;
        }
    }
}
