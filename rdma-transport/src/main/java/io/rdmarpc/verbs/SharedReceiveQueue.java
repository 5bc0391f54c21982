package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.ReceiveRequests;

/** Receives that several queue pairs take from ({@code struct ibv_srq}). Any thread. */
public interface SharedReceiveQueue extends AutoCloseable {

    /**
     * Returns how many receives fit.
     *
     * @return the size the device granted
     */
    int maxWr();

    /**
     * Returns how many scatter/gather entries a receive may have.
     *
     * @return the number the device granted
     */
    int maxSge();

    /**
     * Posts a postlist of receives ({@code ibv_post_srq_recv}).
     *
     * @param requests the array that holds the list
     * @param first index of its first receive
     * @return 0, or an error number, then {@link ReceiveRequests#badIndex()} is the first one not posted
     * @throws RdmaWorkRequestException when a receive cannot work, or the queue is closed; nothing of the list has been posted
     *     then. A shared queue is always checked
     */
    int postReceive(ReceiveRequests requests, int first);

    /**
     * Asks for one {@link AsyncEventType#SRQ_LIMIT_REACHED} when fewer receives than this are posted.
     *
     * @param limit the number, 0 disarms
     * @throws RdmaVerbsException when the device refuses
     */
    void armLimit(int limit);

    /**
     * Asks for the armed limit.
     *
     * @return the limit, 0 when none is armed
     */
    int queryLimit();

    /** Closes the queue pairs that use it, then destroys it. A second call does nothing. */
    @Override
    void close();
}
