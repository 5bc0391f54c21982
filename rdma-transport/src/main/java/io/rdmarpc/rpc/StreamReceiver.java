package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;

/**
 * Takes what happens on a stream. Its methods run on the thread that turns the engine, one after the other: they must not
 * block and must not throw. {@link BlockingStream} is one for threads that wait.
 */
public interface StreamReceiver {

    /**
     * A message of the peer, in order.
     *
     * @param message now owned by the receiver, which closes it
     */
    void onItem(InboundMessage message);

    /** The peer has sent its last message. Called at most once. */
    void onEnd();

    /**
     * The stream has failed in both directions; the last call.
     *
     * @param failure why
     */
    void onFailure(RdmaRpcException failure);

    /** There is credit again after {@link RpcStream#offer} has returned false. */
    void onWritable();
}
