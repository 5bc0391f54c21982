package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/** A peer that wants to connect. Closing the request without an answer rejects it without private data. */
public interface CmConnectionRequest extends CmEndpoint {

    /**
     * Returns what the peer sent along.
     *
     * @return a copy; InfiniBand and RoCE pad it with zeros to {@link CmParameters#MAX_CONNECT_DATA_BYTES}
     */
    byte[] privateData();

    /**
     * Moves a queue pair from RESET to INIT on this request's port, so that receives can be posted before the peer
     * sends. Optional: {@link #accept} does it too.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}
     * @throws RdmaVerbsException when it is one of another device, or in another state
     */
    void initialize(QueuePair queuePair);

    /**
     * Moves the queue pair to RTS, answers the peer and waits for its acknowledgement ({@code rdma_accept}). Ends the
     * request: it becomes the connection, or is closed when this fails. A queue pair that has left RESET is in ERR
     * after a failure.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}, in RESET or INIT
     * @param parameters what to grant at most, with up to {@link CmParameters#MAX_ACCEPT_DATA_BYTES} of private data
     * @param timeout how long the peer may take to acknowledge
     * @return the connection, to be closed by the caller
     * @throws RdmaCmException when the peer has given up, or does not acknowledge in time
     * @throws RdmaVerbsException when the queue pair or the parameters do not fit; the request stays open and the queue pair as
     *     it was
     */
    CmConnection accept(QueuePair queuePair, CmParameters parameters, Duration timeout);

    /**
     * Refuses the connection and closes the request ({@code rdma_reject}).
     *
     * @param privateData what the peer's exception shall carry, up to {@link CmParameters#MAX_REJECT_DATA_BYTES}
     * @throws RdmaVerbsException when there is too much of it, or the request is closed
     */
    void reject(byte[] privateData);
}
