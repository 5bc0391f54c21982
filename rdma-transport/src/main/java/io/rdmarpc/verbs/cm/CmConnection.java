package io.rdmarpc.verbs.cm;

import java.time.Duration;

/**
 * A connection between two queue pairs. If the peer's process ends, its kernel disconnects. If the peer's machine
 * fails, only work requests report it, with {@code RETRY_EXC_ERR}.
 */
public interface CmConnection extends CmEndpoint {

    /**
     * Returns the private data of the peer's request or acceptance.
     *
     * @return a copy; InfiniBand and RoCE pad it with zeros, an acceptance to
     *     {@link CmParameters#MAX_ACCEPT_DATA_BYTES}
     */
    byte[] peerPrivateData();

    /**
     * Returns the maximum number of READs and atomics that the queue pair may have outstanding.
     *
     * @return the smallest of the requested number, the device's limit and the number that the peer serves at a time
     */
    int initiatorDepth();

    /**
     * Returns the maximum number of the peer's READs and atomics that the queue pair serves at a time.
     *
     * @return the smallest of the requested number, the device's limit and the number that the peer has outstanding
     */
    int responderResources();

    /**
     * Ends the connection ({@code rdma_disconnect}) and notifies the peer. The queue pair enters the state ERR, so that
     * its work requests complete with errors. Does not wait for the peer. A second call does nothing.
     */
    void disconnect();

    /**
     * Waits for the end of the connection: the peer's {@link #disconnect}, its response to the local one, or
     * {@link #close}. If the peer disconnected first, this method responds and the queue pair enters the state ERR.
     *
     * @param timeout maximum time to wait; zero polls once without waiting
     * @return true if the connection has ended
     * @throws RdmaCmException with {@link CmFailure#DEVICE_REMOVAL} if the device was removed: close all its objects
     */
    boolean awaitDisconnect(Duration timeout);

    /** Disconnects and releases the kernel's resources of the connection. A second call does nothing. */
    @Override
    void close();
}
