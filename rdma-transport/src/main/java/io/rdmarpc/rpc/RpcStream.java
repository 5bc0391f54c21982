package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageAllocator;

/**
 * One end of a stream: two sequences of messages of any size, one in each direction, in order and without loss. Each
 * receiver grants its sender one credit per message. A slow receiver therefore delays only its own sender, and memory
 * is bounded. A direction ends with {@link #complete}, and the stream ends when both directions have ended. It ends
 * earlier with {@link #fail}, {@link #cancel}, its deadline, or the end of its session. Thread-safe.
 */
public interface RpcStream extends MessageAllocator {

    /** Maximum number of granted credits that the peer has not used. */
    int MAX_CREDITS = 32;

    /**
     * Sends a message if the peer has granted a credit for it.
     *
     * @param message from {@link #allocate}; owned by the engine if this returns true, otherwise still by the caller
     * @return false without a credit; {@link StreamReceiver#onWritable} is called when there is one
     * @throws RdmaRpcException if the stream has failed, with the reason
     * @throws IllegalStateException after {@link #complete}
     */
    boolean offer(MessageBuffer message);

    /** Ends this direction: no more messages follow. The other direction continues. A second call does nothing. */
    void complete();

    /**
     * Ends the stream in both directions with a failure. The peer receives it after the messages that were sent before.
     *
     * @param status how the stream ended, not {@link RpcStatus#OK}
     * @param remoteType class name of the exception that caused the failure, empty without one
     * @param message description for the peer; truncated to the size of one packet
     */
    default void fail(RpcStatus status, String remoteType, String message) {
        fail(status, remoteType, message, RdmaErrorDetails.NONE);
    }

    /**
     * Ends the stream in both directions with a failure that has details.
     *
     * @param status how the stream ended, not {@link RpcStatus#OK}
     * @param remoteType class name of the exception that caused the failure, empty without one
     * @param message description for the peer; truncated to the size of one packet
     * @param details details for the peer; truncated to what the message leaves of the packet
     */
    void fail(RpcStatus status, String remoteType, String message, RdmaErrorDetails details);

    /** Cancels the stream in both directions. Messages in transit are dropped. */
    void cancel();

    /**
     * Grants the peer credits. At most {@link #MAX_CREDITS} can be unused; credits beyond that are lost.
     *
     * @param messages how many more messages it may send, over 0
     */
    void request(int messages);
}
