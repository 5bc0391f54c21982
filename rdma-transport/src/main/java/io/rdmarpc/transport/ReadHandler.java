package io.rdmarpc.transport;

/** Takes the end of an RDMA READ; on the engine thread. */
@FunctionalInterface
public interface ReadHandler {

    /**
     * The READ has ended and the NIC is done with its memory.
     *
     * @param status a {@link io.rdmarpc.verbs.wr.CompletionStatus}; the data is there on success only
     */
    void onReadEnd(int status);
}
