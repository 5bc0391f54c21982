package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;

/** Calls a stream's receiver for the engine, and catches all exceptions of the receiver. */
final class StreamListener {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(StreamListener.class.getName()));

    private final StreamReceiver receiver;
    private final EngineContext context;

    StreamListener(StreamReceiver receiver, EngineContext context) {
        this.receiver = receiver;
        this.context = context;
    }

    void onItem(InboundMessage message) {
        if (context.notifiesLater()) {
            context.notifyLater(() -> notifyItem(message));
        } else {
            notifyItem(message);
        }
    }

    private void notifyItem(InboundMessage message) {
        try {
            receiver.onItem(message);
        } catch (Throwable e) {
            message.close();
            reportThrown(e);
        }
    }

    void onWritable() {
        notifyReceiver(receiver::onWritable);
    }

    void onEnd() {
        notifyReceiver(receiver::onEnd);
    }

    void onFailure(RdmaRpcException reason) {
        notifyReceiver(() -> receiver.onFailure(reason));
    }

    private void notifyReceiver(Runnable step) {
        context.notifyUser(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                reportThrown(e);
            }
        });
    }

    private static void reportThrown(Throwable e) {
        FAILURES.report("a stream's receiver threw an exception, which it must not", e);
    }
}
