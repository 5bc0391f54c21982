package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageView;

/**
 * A call that a {@link BytesHandler} answers. The arguments are read where they arrived. One object serves all calls, one
 * after the other: outside of {@link BytesHandler#handle} everything here is an {@link IllegalStateException}.
 */
public interface ServedCall extends MessageView {

    /**
     * Returns which method is called.
     *
     * @return its id
     */
    int methodId();

    /**
     * Returns how much time the caller still gives, counted by the own clock since arrival.
     *
     * @return nanoseconds, 0 or less when the caller has given up
     */
    long remainingNanos();

    /**
     * Describes the caller.
     *
     * @return its control address
     */
    String peer();

    /**
     * Tells who the caller is, as far as the control channel knows.
     *
     * @return the same for all calls of a session
     */
    PeerIdentity identity();

    /**
     * Tells whether the message begins with a block of metadata, see {@link
     * io.rdmarpc.memory.MessageBuffer#metadata}.
     *
     * @return what the caller's packet says; the block is not checked
     */
    boolean hasMetadata();

    /**
     * Returns a buffer for the answer, in memory that was registered before.
     *
     * @param capacityBytes payload bytes it must hold
     * @return always the same handle, open; sent by {@link #respond()}, given back when it is not
     * @throws RdmaMessageTooLargeException over the session's limit
     */
    MessageBuffer response(int capacityBytes);

    /** Answers with what {@link #response} returned, as far as its length says. Not before {@code response}. */
    void respond();

    /**
     * Answers with a failure.
     *
     * @param status how it ended, not {@link RpcStatus#OK}
     * @param message words for the caller; cut to what one packet holds
     */
    void fail(RpcStatus status, String message);

    /**
     * Takes the call out of this method, to be answered later by any thread. From now on this object serves no call.
     *
     * @return a new object that holds the call and its arguments until it is answered
     */
    RpcRequest defer();
}
