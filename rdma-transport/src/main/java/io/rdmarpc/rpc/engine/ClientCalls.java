package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.ResponseHandler;

/** What the engine does with the calls of a client session. Engine thread only. */
interface ClientCalls {

    /** Takes a new call, which starts in a free slot, or waits its turn. */
    void submit(Call call, long nowNanos);

    /**
     * Starts the call of a caller who will turn the loop until it has ended, behind commands that wait, without a way through the
     * inbox. Between turns.
     */
    void startNow(Call call);

    /** Starts calls of the backlog while there are free slots. */
    void startWaiting(ClientSession session, long nowNanos);

    /** The caller gives a call up, if it has not ended yet; one that is still on its way here ends when it comes. */
    void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos);

    /** The session is over: everything that waits fails. */
    void failAll(ClientSession session, long nowNanos);

    /** The time has come for something in a session: a deadline, a retransmission, another try. */
    void onTimer(ClientSession session, long nowNanos);
}
