package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;

/**
 * Receives the events of a stream. Its methods run on the thread that runs the event loop, one after the other. They
 * must not block and must not throw. {@link BlockingStream} is an implementation for threads that block.
 */
public interface StreamReceiver {

    /**
     * Receives a message of the peer, in order.
     *
     * @param message now owned by the receiver, which closes it
     */
    void onItem(InboundMessage message);

    /** Called when the peer has sent its last message. Called at most once. */
    void onEnd();

    /**
     * Called when the stream has failed in both directions. This is the last call.
     *
     * @param failure the reason
     */
    void onFailure(RdmaRpcException failure);

    /** Called when there is a credit again after {@link RpcStream#offer} has returned false. */
    void onWritable();
}
