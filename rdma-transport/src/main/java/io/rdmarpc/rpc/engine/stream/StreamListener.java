package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;

/** A stream's receiver as the engine calls it: what it throws does no harm. */
final class StreamListener {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(StreamListener.class.getName()));

    private final StreamReceiver receiver;
    private final EngineContext context;

    StreamListener(StreamReceiver receiver, EngineContext context) {
        this.receiver = receiver;
        this.context = context;
    }

    void onItem(InboundMessage message) {
        if (context.tellsLater()) {
            context.tellLater(() -> tellItem(message));
        } else {
            tellItem(message);
        }
    }

    private void tellItem(InboundMessage message) {
        try {
            receiver.onItem(message);
        } catch (Throwable e) {
            message.close();
            threw(e);
        }
    }

    void onWritable() {
        tell(receiver::onWritable);
    }

    void onEnd() {
        tell(receiver::onEnd);
    }

    void onFailure(RdmaRpcException reason) {
        tell(() -> receiver.onFailure(reason));
    }

    private void tell(Runnable step) {
        context.tell(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                threw(e);
            }
        });
    }

    private static void threw(Throwable e) {
        FAILURES.report("a stream's receiver threw; it must not", e);
    }
}
