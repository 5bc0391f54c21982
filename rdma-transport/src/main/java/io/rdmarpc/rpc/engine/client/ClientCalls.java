package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.ResponseHandler;

/** The engine's operations on the calls of a client session. Engine thread only. */
interface ClientCalls {

    /** Accepts a new call, which starts in a free slot or waits in the backlog. */
    void submit(Call call, long nowNanos);

    /**
     * Starts the call of a caller that will run the loop until the call has ended. The call does not pass through the
     * inbox, but follows the commands that wait there. Called between duty cycles.
     */
    void startNow(Call call);

    /** Returns the free objects for calls that begin on the thread that runs the loop. */
    LoopCalls loopCalls();

    /** Starts calls of the backlog while there are free slots. */
    void startWaiting(ClientSession session, long nowNanos);

    /** Cancels a call that has not ended. A call that has not reached the engine yet is cancelled when it does. */
    void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos);

    /** Fails all calls of a session that has ended. */
    void failAll(ClientSession session, long nowNanos);

    /** Handles the due deadlines, retransmissions and retries of a session. */
    void onTimer(ClientSession session, long nowNanos);
}
