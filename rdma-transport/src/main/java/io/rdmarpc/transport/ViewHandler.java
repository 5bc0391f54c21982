package io.rdmarpc.transport;

/** Handles the end of a request for a view of remote memory, on the engine thread. */
@FunctionalInterface
public interface ViewHandler {

    /**
     * Called when the peer has responded, or the request has failed.
     *
     * @param status a {@link io.rdmarpc.verbs.wr.CompletionStatus}
     * @param view owned and closed by the callee; it has no memory on failure, and may have none on success
     */
    void onViewEnd(int status, RemoteView view);
}
