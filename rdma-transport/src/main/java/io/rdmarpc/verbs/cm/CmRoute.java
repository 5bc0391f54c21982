package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/** A route to a peer, for one connection. To connect again, resolve a new route, because routes may change. */
public interface CmRoute extends CmEndpoint {

    /**
     * Moves a queue pair from RESET to INIT on this route's port, so that receives can be posted before the peer sends.
     * Optional: {@link #connect} does it too.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}
     * @throws RdmaVerbsException if the queue pair belongs to another device or is in another state
     */
    void initialize(QueuePair queuePair);

    /**
     * Requests a connection from the peer and moves the queue pair to RTS ({@code rdma_connect}). The route ends: it
     * becomes the connection, or is closed if this method fails. After a failure, a queue pair that has left RESET is
     * in ERR.
     *
     * @param queuePair an RC queue pair of {@link #deviceName}, in RESET or INIT
     * @param parameters the requested values, with up to {@link CmParameters#MAX_CONNECT_DATA_BYTES} of private data
     * @param timeout maximum time to wait for the response
     * @return the connection, which the caller closes
     * @throws RdmaCmException if the peer rejects the request, is unreachable or does not respond in time
     * @throws RdmaVerbsException if the queue pair or the parameters are invalid. The route stays open and the queue
     *     pair is unchanged
     */
    CmConnection connect(QueuePair queuePair, CmParameters parameters, Duration timeout);
}
