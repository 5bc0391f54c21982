package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.ReceiveRequests;

/** A queue of receives that several queue pairs use ({@code struct ibv_srq}). Thread-safe. */
public interface SharedReceiveQueue extends AutoCloseable {

    /**
     * Returns the maximum number of posted receives.
     *
     * @return the size that the device granted
     */
    int maxWr();

    /**
     * Returns the maximum number of scatter/gather entries of a receive.
     *
     * @return the number that the device granted
     */
    int maxSge();

    /**
     * Posts a list of receives ({@code ibv_post_srq_recv}). A shared receive queue always checks them.
     *
     * @param requests the array that holds the list
     * @param first index of the first receive
     * @return 0 or an error number. After an error {@link ReceiveRequests#badIndex()} is the first receive that was not
     *     posted
     * @throws RdmaWorkRequestException if a receive is invalid or the queue is closed. Nothing of the list was posted then
     */
    int postReceive(ReceiveRequests requests, int first);

    /**
     * Arms one {@link AsyncEventType#SRQ_LIMIT_REACHED} event, which the device delivers when fewer receives than the
     * limit are posted.
     *
     * @param limit the number of receives; 0 disarms
     * @throws RdmaVerbsException if the device rejects the request
     */
    void armLimit(int limit);

    /**
     * Queries the armed limit.
     *
     * @return the limit, 0 if none is armed
     */
    int queryLimit();

    /** Closes the queue pairs that use this queue, then destroys it. A second call does nothing. */
    @Override
    void close();
}
