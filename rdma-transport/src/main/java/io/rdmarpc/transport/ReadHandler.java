package io.rdmarpc.transport;

/** Handles the end of an RDMA READ, on the engine thread. */
@FunctionalInterface
public interface ReadHandler {

    /**
     * Called when the READ has ended and the NIC no longer accesses its memory.
     *
     * @param status a {@link io.rdmarpc.verbs.wr.CompletionStatus}; the data is valid only on success
     */
    void onReadEnd(int status);
}
