package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.MessageView;

/**
 * A call that its owner makes again and again: request, answer and bookkeeping are the same objects each time, so a call
 * that fits a packet allocates nothing. Made by {@link RpcSession#prepareCall}.
 *
 * <pre>
 *            start()                answer or failure
 *   IDLE  ------------>  UNDER WAY  ------------------>  ENDED
 *
 *   ENDED:  start() releases the answer and goes to UNDER WAY; release() goes to IDLE
 *   IDLE and ENDED:  request() opens the buffer that start() sends
 * </pre>
 *
 * <p>One thread at a time; it may be another one after each hand-over of its own. What does not fit the state is an
 * {@link IllegalStateException}, so an answer that was released cannot be read.
 */
public interface RpcCall extends AutoCloseable {

    /**
     * Returns the buffer of the next request.
     *
     * @param capacityBytes payload bytes it must hold
     * @return always the same handle, open, of length 0 when it is new; handed to the engine by {@link #start}
     * @throws RdmaMessageTooLargeException over the session's limit
     */
    MessageBuffer request(int capacityBytes);

    /**
     * Sends the request. The last answer, when there is one, is released.
     *
     * @param methodId which method, see {@link ServiceContract#methodId}
     * @param timeoutNanos how long the call may take, over 0
     */
    void start(int methodId, long timeoutNanos);

    /**
     * Sends the request and waits for the end. A platform thread turns the engine itself meanwhile, when no other thread
     * does but the polling thread or a virtual one of the engine's own, which stand back: nothing is handed from thread to thread.
     *
     * @param methodId which method, see {@link ServiceContract#methodId}
     * @param timeoutNanos how long the call may take, over 0
     * @return the answer, as {@link #response}
     * @throws RdmaRpcException when the call fails, or the caller is interrupted: then the call is still under way
     * @throws IllegalStateException in a handler that runs on the thread that turns the engine, which would wait for itself
     */
    MessageView call(int methodId, long timeoutNanos);

    /**
     * Tells whether the call has ended. Any thread.
     *
     * @return true from the answer or failure until the next start or release
     */
    boolean hasEnded();

    /**
     * Returns the answer.
     *
     * @return a view of it, always the same object, valid until {@link #release} or {@link #start}
     * @throws RdmaRpcException when the call has failed
     */
    MessageView response();

    /** Gives the answer's memory back. Does nothing when there is none. */
    void release();

    /** Releases the answer and the request that was not sent. A call under way goes on; its end is not told any more. */
    @Override
    void close();

    /** Told when a call has ended. */
    @FunctionalInterface
    interface End {

        /** Tells nobody: whoever waits asks {@link RpcCall#hasEnded}. */
        End UNTOLD = call -> {};

        /**
         * The call has its answer or its failure. Runs on the thread that turns the engine, or on the one that started a
         * call that could not even be sent: it must not block and must not throw. It may start the call again.
         *
         * @param call the call
         */
        void onEnd(RpcCall call);
    }
}
