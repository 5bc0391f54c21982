package io.rdmarpc.verbs;

/** A queue of work completions ({@code struct ibv_cq}). May be polled by any thread, one batch array per thread. */
public interface CompletionQueue extends AutoCloseable {

    /**
     * Takes completions from the queue; never blocks. On the software RNIC this also moves the protocol on.
     *
     * @param into where to, from entry 0
     * @param max how many at most, not over the array's capacity
     * @return how many were taken, or a negative error number
     */
    int poll(WorkCompletions into, int max);

    /**
     * Returns how many completions fit.
     *
     * @return the capacity granted by the device
     */
    int capacity();

    /** Destroys the queue; its queue pairs must be closed before. A second call does nothing. */
    @Override
    void close();
}
