package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.MessageView;

/**
 * A reusable call: request, response and bookkeeping are the same objects each time. A call that fits one packet
 * therefore allocates nothing. Created by {@link RpcSession#prepareCall}.
 *
 * <pre>
 *            start()               response or failure
 *   IDLE  ------------>  IN FLIGHT  ------------------>  ENDED
 *
 *   ENDED:  start() releases the response and goes to IN FLIGHT; release() goes to IDLE
 *   IDLE and ENDED:  request() opens the buffer that start() sends
 * </pre>
 *
 * <p>Not thread-safe: only one thread at a time may use it, and threads must synchronize when they hand it over. A
 * method that does not fit the state throws {@link IllegalStateException}, so that a released response cannot be read.
 */
public interface RpcCall extends AutoCloseable {

    /**
     * Returns the buffer of the next request.
     *
     * @param capacityBytes payload bytes it must hold
     * @return always the same handle, open, with length 0 if it is new; {@link #start} passes it to the engine
     * @throws RdmaMessageTooLargeException if the capacity exceeds the session's limit
     */
    MessageBuffer request(int capacityBytes);

    /**
     * Sends the request. A response that is still held is released.
     *
     * @param methodId the method, see {@link ServiceContract#methodId}
     * @param timeoutNanos how long the call may take, in nanoseconds, over 0
     */
    void start(int methodId, long timeoutNanos);

    /**
     * Sends the request and waits for the result. A platform thread runs the event loop itself while it waits: the
     * polling thread or a virtual thread of the engine yields ownership to it. No hand-over between threads is then
     * needed. If another thread owns the event loop, the caller waits for that thread.
     *
     * @param methodId the method, see {@link ServiceContract#methodId}
     * @param timeoutNanos how long the call may take, in nanoseconds, over 0
     * @return the response, as {@link #response} returns it
     * @throws RdmaRpcException if the call fails, or the caller is interrupted; after an interrupt the call is still in
     *     flight
     * @throws IllegalStateException in a handler on the thread that runs the event loop, which would wait for itself
     */
    MessageView call(int methodId, long timeoutNanos);

    /**
     * Returns whether the call has ended. Thread-safe.
     *
     * @return true from the response or failure until the next start or release
     */
    boolean hasEnded();

    /**
     * Returns the response.
     *
     * @return a view of the response, always the same object, valid until {@link #release} or {@link #start}
     * @throws RdmaRpcException if the call has failed
     */
    MessageView response();

    /** Releases the response's memory. Does nothing without a response. */
    void release();

    /** Releases the response and an unsent request. A call in flight continues, but its end is not reported. */
    @Override
    void close();

    /** Receives a notification when a call has ended. */
    @FunctionalInterface
    interface End {

        /** Does nothing, for a caller that polls {@link RpcCall#hasEnded}. */
        End NONE = call -> {};

        /**
         * Called when the call has its response or its failure. Runs on the thread that runs the event loop, or on the
         * starting thread if the call could not be sent. It must not block and must not throw. It may start the call
         * again.
         *
         * @param call the call
         */
        void onEnd(RpcCall call);
    }
}
