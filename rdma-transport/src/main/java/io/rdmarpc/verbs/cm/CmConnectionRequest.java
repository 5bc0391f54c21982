package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/** A connection request of a peer. Closing the request before it is accepted rejects it without private data. */
public interface CmConnectionRequest extends CmEndpoint {

    /**
     * Returns the private data of the request.
     *
     * @return a copy; InfiniBand and RoCE pad it with zeros to {@link CmParameters#MAX_CONNECT_DATA_BYTES}
     */
    byte[] privateData();

    /**
     * Moves a queue pair from RESET to INIT on this request's port, so that receives can be posted before the peer
     * sends. Optional: {@link #accept} does it too.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}
     * @throws RdmaVerbsException if the queue pair belongs to another device or is in another state
     */
    void initialize(QueuePair queuePair);

    /**
     * Moves the queue pair to RTS, accepts the request and waits for the peer's acknowledgment ({@code rdma_accept}).
     * The request ends: it becomes the connection, or is closed if this method fails. After a failure, a queue pair
     * that has left RESET is in ERR.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}, in RESET or INIT
     * @param parameters the maximum values to grant, with up to {@link CmParameters#MAX_ACCEPT_DATA_BYTES} of private
     *     data
     * @param timeout maximum time to wait for the acknowledgment
     * @return the connection, which the caller closes
     * @throws RdmaCmException if the peer cancelled the request, or does not acknowledge in time
     * @throws RdmaVerbsException if the queue pair or the parameters are invalid. The request stays open and the queue pair
     *     is unchanged
     */
    CmConnection accept(QueuePair queuePair, CmParameters parameters, Duration timeout);

    /**
     * Rejects the connection and closes the request ({@code rdma_reject}).
     *
     * @param privateData data for the peer's exception, up to {@link CmParameters#MAX_REJECT_DATA_BYTES}
     * @throws RdmaVerbsException if the data is too long, or the request is closed
     */
    void reject(byte[] privateData);
}
