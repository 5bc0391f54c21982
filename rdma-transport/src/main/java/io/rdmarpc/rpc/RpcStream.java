package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageAllocator;

/**
 * One end of a stream: two rows of messages of any size, one each way, in order and without loss. Each receiver gives
 * its sender credits, one per message, so a slow one holds up nobody but its own sender, and memory is bounded. A row
 * ends with {@link #complete}, the stream when both have, or earlier with {@link #fail}, {@link #cancel}, its deadline, or
 * its session. Any thread.
 */
public interface RpcStream extends MessageAllocator {

    /** Most credits that a receiver may have given and not yet seen used. */
    int MAX_CREDITS = 32;

    /**
     * Sends a message if the peer has given a credit for it.
     *
     * @param message from {@link #allocate}; owned by the engine when this returns true, else still the caller's
     * @return false when there is no credit; {@link StreamReceiver#onWritable} follows when there is one
     * @throws RdmaRpcException when the stream has failed, with the reason
     * @throws IllegalStateException after {@link #complete}
     */
    boolean offer(MessageBuffer message);

    /** Says that no more messages follow in this direction. The other one goes on. A second call does nothing. */
    void complete();

    /**
     * Ends the stream in both directions with a failure, which the peer gets behind the messages sent before.
     *
     * @param status how it ended, not {@link RpcStatus#OK}
     * @param remoteType class name of what was thrown, empty when nothing was
     * @param message words for the peer; cut to what one packet holds
     */
    void fail(RpcStatus status, String remoteType, String message);

    /** Ends the stream in both directions: nobody wants it any more. Messages on their way are dropped. */
    void cancel();

    /**
     * Gives the peer credits. At most {@link #MAX_CREDITS} are kept; more are lost.
     *
     * @param messages how many more messages it may send, over 0
     */
    void request(int messages);
}
