package io.rdmarpc.rpc.engine.session;

/**
 * The control side of a session, as its engine sees it. Called on the engine thread: implementations hand over to a
 * control thread and return at once.
 */
public interface SessionHost {

    /** A large message waits for a reliable connection. */
    void connectionWanted();

    /**
     * The session cannot go on.
     *
     * @param reason why, in words
     */
    void broken(String reason);

    /** The server is stopping: no call begins in a calling session any more, those that the server runs go on. */
    void serverStops();

    /** The engine holds nothing of the session any more: what belongs to it may be closed. */
    void drained();
}
