package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import java.time.Duration;

/**
 * A call to which a server responds once, with {@link #respond} or {@link #fail}. A second response throws
 * {@link IllegalStateException}. Thread-safe.
 */
public interface RpcRequest extends MessageAllocator {

    /**
     * Returns the called method.
     *
     * @return its id
     */
    int methodId();

    /**
     * Returns the arguments.
     *
     * @return the message, owned by the request; valid until the response, may be closed earlier
     */
    InboundMessage message();

    /**
     * Returns the allocator for responses to this caller. All requests of the caller return the same object, so that a
     * handler can cache it.
     *
     * @return an allocator of memory that suits {@link #respond}
     */
    default MessageAllocator allocator() {
        return this;
    }

    /**
     * Returns the remaining time of the call, measured by the local clock since arrival.
     *
     * @return nanoseconds, 0 or less if the deadline has passed
     */
    long remainingNanos();

    /**
     * Returns the time since the call arrived.
     *
     * @return nanoseconds since arrival
     */
    long elapsedNanos();

    /**
     * Returns the time since the complete request arrived. At the beginning of the method, this is how long the call
     * has waited for a thread. Unlike {@link #elapsedNanos} it excludes the READ of a large request.
     *
     * @return nanoseconds since the last byte of the arguments arrived
     */
    long queuedNanos();

    /**
     * Returns the cancellation of the call.
     *
     * @return an object that stays valid after the response
     */
    RpcCancellation cancellation();

    /**
     * Returns whether the caller has cancelled, as far as this side knows. A response is then useless.
     *
     * @return true once the call is cancelled
     */
    boolean isCancelled();

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
     * Sends the response.
     *
     * @param response the result, from {@link #allocate}; owned by the engine from this call on
     */
    void respond(MessageBuffer response);

    /**
     * Responds with a failure.
     *
     * @param status how the call ended, not {@link RpcStatus#OK}
     * @param remoteType class name of the exception that caused the failure, empty without one
     * @param message description for the caller; truncated to the size of one packet
     */
    default void fail(RpcStatus status, String remoteType, String message) {
        fail(status, remoteType, message, RdmaErrorDetails.NONE);
    }

    /**
     * Responds with a failure that has details. A caller of protocol version 4 receives only their retry delay.
     *
     * @param status how the call ended, not {@link RpcStatus#OK}
     * @param remoteType class name of the exception that caused the failure, empty without one
     * @param message description for the caller; truncated to the size of one packet
     * @param details details for the caller; truncated to what the message leaves of the packet
     */
    void fail(RpcStatus status, String remoteType, String message, RdmaErrorDetails details);

    /**
     * Responds to the call by accepting the stream that its client opens.
     *
     * @param credits messages that the client may send before {@link RpcStream#request}, 0 to {@link
     *     RpcStream#MAX_CREDITS}
     * @param receiver receives the client's messages and the end of the stream
     * @return this end of the stream
     * @throws IllegalStateException if the request is an ordinary call
     */
    RpcStream acceptStream(int credits, StreamReceiver receiver);

    /**
     * Rejects the call with {@link RpcStatus#OVERLOADED}. The method must not have run.
     *
     * @param message description for the caller
     * @param retryAfter how long the caller should wait before it retries, in whole milliseconds
     */
    void reject(String message, Duration retryAfter);

    /**
     * Rejects the call because this server is stopping. The client retries the call on another session, also for
     * methods that are not idempotent, and starts no more calls in this session. The method must not have run.
     *
     * @param message description for the caller
     */
    void rejectStopping(String message);
}
