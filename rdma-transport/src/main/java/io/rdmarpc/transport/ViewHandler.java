package io.rdmarpc.transport;

/** Takes the end of a request to see remote memory in place; on the engine thread. */
@FunctionalInterface
public interface ViewHandler {

    /**
     * The peer has answered, or will not.
     *
     * @param status a {@link io.rdmarpc.verbs.wr.CompletionStatus}
     * @param view now the callee's, to be closed; without memory unless that is a success, and maybe even then
     */
    void onViewEnd(int status, RemoteView view);
}
