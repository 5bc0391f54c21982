package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/** A way to a peer. It can be used once: a new attempt resolves anew, which notices when routes have changed. */
public interface CmRoute extends CmEndpoint {

    /**
     * Moves a queue pair from RESET to INIT on this way's port, so that receives can be posted before the peer sends.
     * Optional: {@link #connect} does it too.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}
     * @throws RdmaVerbsException when it is one of another device, or in another state
     */
    void initialize(QueuePair queuePair);

    /**
     * Asks the peer for a connection and moves the queue pair to RTS ({@code rdma_connect}). Ends the route: it becomes
     * the connection, or is closed when this fails. A queue pair that has left RESET is in ERR
     * after a failure.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}, in RESET or INIT
     * @param parameters what to ask for, with up to {@link CmParameters#MAX_CONNECT_DATA_BYTES} of private data
     * @param timeout how long the peer may take to answer
     * @return the connection, to be closed by the caller
     * @throws RdmaCmException when the peer refuses, cannot be reached or does not answer in time
     * @throws RdmaVerbsException when the queue pair or the parameters do not fit; the route stays open and the queue pair as
     *     it was
     */
    CmConnection connect(QueuePair queuePair, CmParameters parameters, Duration timeout);
}
