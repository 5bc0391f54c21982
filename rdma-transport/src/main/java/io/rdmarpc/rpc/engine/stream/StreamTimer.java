package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.concurrent.WheelTimer;

/** The next time something may be due in a stream: a message to be sent again, or its deadline. */
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
            stream.session().breakOff("the engine failed on the timer of a stream: " + e);
            throw e;
        }
    }
}
