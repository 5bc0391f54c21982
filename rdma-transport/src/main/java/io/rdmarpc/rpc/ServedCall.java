package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageView;

/**
 * A call to which a {@link BytesHandler} responds. The arguments are read in place. One object serves all calls, one
 * after the other. Outside of {@link BytesHandler#serve} every method throws {@link IllegalStateException}.
 */
public interface ServedCall extends MessageView {

    /**
     * Returns the called method.
     *
     * @return its id
     */
    int methodId();

    /**
     * Returns the remaining time of the call, measured by the local clock since arrival.
     *
     * @return nanoseconds, 0 or less if the deadline has passed
     */
    long remainingNanos();

    /**
     * Returns the caller's address.
     *
     * @return its control address
     */
    String peer();

    /**
     * Returns the caller's identity, as far as the control connection shows it.
     *
     * @return the same object for all calls of a session
     */
    PeerIdentity identity();

    /**
     * Returns whether the message begins with a block of metadata, see
     * {@link io.rdmarpc.memory.MessageBuffer#metadata}.
     *
     * @return the flag of the caller's packet; the block is not checked
     */
    boolean hasMetadata();

    /**
     * Returns a buffer for the response, in memory that is registered already.
     *
     * @param capacityBytes payload bytes it must hold
     * @return always the same handle, open; {@link #respond()} sends it, otherwise it is released
     * @throws RdmaMessageTooLargeException if the capacity exceeds the session's limit
     */
    MessageBuffer response(int capacityBytes);

    /** Sends the buffer of {@link #response}, up to its length. Requires a call of {@code response} before. */
    void respond();

    /**
     * Responds with a failure.
     *
     * @param status how the call ended, not {@link RpcStatus#OK}
     * @param message description for the caller; truncated to the size of one packet
     */
    void fail(RpcStatus status, String message);

    /**
     * Detaches the call from this method, so that any thread can respond to it later. This object then serves no call.
     *
     * @return a new object that holds the call and its arguments until the response
     */
    RpcRequest defer();
}
