package io.rdmarpc.rpc.engine.session;

/**
 * The control side of a session, as its engine sees it. The engine thread calls these methods. An implementation hands
 * the work to a control thread and returns at once.
 */
public interface SessionHost {

    /** Called when a large message needs a reliable connection. */
    void connectionWanted();

    /**
     * Called when the session has failed.
     *
     * @param reason the reason
     */
    void broken(String reason);

    /**
     * Called when the server is stopping. The client starts no further call in this session. The server completes the
     * calls that it runs.
     */
    void serverStops();

    /** Called when the engine no longer uses the session, whose resources may then be closed. */
    void drained();
}
