package io.rdmarpc.verbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Waits for peers at an address. Any number of threads. */
public interface CmListener extends AutoCloseable {

    /**
     * Returns the address it listens at.
     *
     * @return with the port that was chosen when 0 was asked for
     */
    InetSocketAddress localAddress();

    /**
     * Takes the next request ({@code RDMA_CM_EVENT_CONNECT_REQUEST}).
     *
     * @param timeout how long to wait at most; zero only looks
     * @return a request, to be accepted, rejected or closed by the caller; nothing when none came in time
     * @throws RdmaCmException with {@link CmFailure#CLOSED} when the listener is closed, also while this waits, or with
     *     {@link CmFailure#DEVICE_REMOVAL} when its device is gone
     */
    Optional<CmConnectionRequest> accept(Duration timeout);

    /**
     * Ends listening: requests that nobody has taken are rejected, those that were taken stay valid. A second call does
     * nothing.
     */
    @Override
    void close();
}
