package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.StreamReceiver;

/** A stream's receiver as the engine calls it: what it throws does no harm. */
final class StreamListener {

    private static final System.Logger LOG = System.getLogger(StreamListener.class.getName());

    private final StreamReceiver receiver;

    StreamListener(StreamReceiver receiver) {
        this.receiver = receiver;
    }

    void onItem(InboundMessage message) {
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

    void onFailure(RpcException reason) {
        tell(() -> receiver.onFailure(reason));
    }

    private static void tell(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            threw(e);
        }
    }

    private static void threw(Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "a stream's receiver threw; it must not", e);
    }
}
