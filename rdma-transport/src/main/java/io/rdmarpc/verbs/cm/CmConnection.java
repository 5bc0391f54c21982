package io.rdmarpc.verbs.cm;

import java.time.Duration;

/**
 * A connection between two queue pairs. When the process of one side ends, its kernel disconnects; when its machine
 * does, only work requests tell, by {@code RETRY_EXC_ERR}.
 */
public interface CmConnection extends CmEndpoint {

    /**
     * Returns what the peer sent along when it asked or accepted.
     *
     * @return a copy; InfiniBand and RoCE pad it with zeros, an acceptance to {@link CmParameters#MAX_ACCEPT_DATA_BYTES}
     */
    byte[] peerPrivateData();

    /**
     * Returns the READs and atomics the queue pair may have outstanding.
     *
     * @return the least of what was asked for, what the device can and what the peer answers
     */
    int initiatorDepth();

    /**
     * Returns the READs and atomics of the peer the queue pair answers at a time.
     *
     * @return the least of what was asked for, what the device can and what the peer uses
     */
    int responderResources();

    /**
     * Ends the connection ({@code rdma_disconnect}): the queue pair goes to the state ERR, so that its work requests
     * complete with errors, and the peer is told. Does not wait for the peer. A second call does nothing.
     */
    void disconnect();

    /**
     * Waits for the end of the connection: the peer's {@link #disconnect}, its answer to the own one, or {@link #close}.
     * When the peer was first, it is answered and the queue pair goes to the state ERR.
     *
     * @param timeout how long to wait at most; zero only looks
     * @return true when the connection has ended
     * @throws RdmaCmException with {@link CmFailure#DEVICE_REMOVAL} when the device is gone: close everything of it
     */
    boolean awaitDisconnect(Duration timeout);

    /** Disconnects and ends the connection's record in the kernel. A second call does nothing. */
    @Override
    void close();
}
