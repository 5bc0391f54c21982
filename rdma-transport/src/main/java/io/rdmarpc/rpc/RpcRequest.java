package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import java.time.Duration;

/**
 * A call that a server is to answer, once: by {@link #respond} or {@link #fail}; a second answer is an {@link
 * IllegalStateException}. Any thread.
 */
public interface RpcRequest extends MessageAllocator {

    /**
     * Returns which method is called.
     *
     * @return its id
     */
    int methodId();

    /**
     * Returns the arguments.
     *
     * @return the message, owned by the request: valid until it is answered, may be closed earlier
     */
    InboundMessage message();

    /**
     * Returns what gives memory for answers to this caller: the same object for all its requests, so that who remembers it
     * need not store it anew for each.
     *
     * @return one whose memory suits {@link #respond}
     */
    default MessageAllocator allocator() {
        return this;
    }

    /**
     * Returns how much time the caller still gives, counted by the own clock since arrival.
     *
     * @return nanoseconds, 0 or less when the caller has given up
     */
    long remainingNanos();

    /**
     * Returns how long the call has been here.
     *
     * @return nanoseconds since arrival
     */
    long elapsedNanos();

    /**
     * Returns how long all of the call has been here: at the beginning of its method, how long it has waited for a thread.
     * Unlike {@link #elapsedNanos} it does not count the READ of a large request.
     *
     * @return nanoseconds since the last byte of the arguments came
     */
    long queuedNanos();

    /**
     * Tells when the caller gives up.
     *
     * @return valid also after the call was answered
     */
    RpcCancellation cancellation();

    /**
     * Tells whether the caller has given up, as far as this side knows: work for its answer is in vain.
     *
     * @return true once it has
     */
    boolean isCancelled();

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
     * Answers the call.
     *
     * @param response the result, from {@link #allocate}; owned by the engine from now on
     */
    void respond(MessageBuffer response);

    /**
     * Answers with a failure.
     *
     * @param status how it ended, not {@link RpcStatus#OK}
     * @param remoteType class name of what was thrown, empty when nothing was
     * @param message words for the caller; cut to what one packet holds
     */
    void fail(RpcStatus status, String remoteType, String message);

    /**
     * Answers the call by accepting the stream that its client opens.
     *
     * @param credits messages that the client may send before {@link RpcStream#request}, 0 to {@link
     *     RpcStream#MAX_CREDITS}
     * @param receiver takes what comes, and the end
     * @return this end of the stream
     * @throws IllegalStateException when it is an ordinary call
     */
    RpcStream acceptStream(int credits, StreamReceiver receiver);

    /**
     * Answers that there is too much to do: {@link RpcStatus#OVERLOADED}. The method must not have run.
     *
     * @param message words for the caller
     * @param retryAfter how long the caller should wait, in whole milliseconds
     */
    void refuse(String message, Duration retryAfter);

    /**
     * Answers that this server is stopping and has not run the method: the client makes the call elsewhere by itself, whatever
     * the method does, and begins no more calls in this session. The method must not have run.
     *
     * @param message words for the caller
     */
    void refuseStopping(String message);
}
