package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.ResponseHandler;

/** What the engine does with the calls of a client session. Engine thread only. */
interface ClientCalls {

    /** Takes a new call, which starts in a free slot, or waits its turn. */
    void submit(Call call, long nowNanos);

    /**
     * Starts the call of a caller that will run the loop until the call has ended. It comes behind commands that wait, and does not
     * pass through the inbox. Between turns.
     */
    void startNow(Call call);

    /** Starts calls of the backlog while there are free slots. */
    void startWaiting(ClientSession session, long nowNanos);

    /** Cancels a call that has not ended. One that has not reached the engine ends when it does. */
    void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos);

    /** Fails all calls of a session that has ended. */
    void failAll(ClientSession session, long nowNanos);

    /** Does what is due in a session: deadlines, retransmissions, another try. */
    void onTimer(ClientSession session, long nowNanos);
}
