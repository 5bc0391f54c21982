package io.rdmarpc.verbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Accepts connection requests of peers at an address. Thread-safe. */
public interface CmListener extends AutoCloseable {

    /**
     * Returns the listening address.
     *
     * @return the address; if port 0 was requested, with the selected port
     */
    InetSocketAddress localAddress();

    /**
     * Returns the next request ({@code RDMA_CM_EVENT_CONNECT_REQUEST}).
     *
     * @param timeout maximum time to wait; zero polls once without waiting
     * @return a request, which the caller accepts, rejects or closes; empty after the timeout
     * @throws RdmaCmException with {@link CmFailure#CLOSED} if the listener is closed before or during the wait, or
     *     with {@link CmFailure#DEVICE_REMOVAL} if its device was removed
     */
    Optional<CmConnectionRequest> accept(Duration timeout);

    /**
     * Stops listening. Requests that {@link #accept} has not returned are rejected; all others stay valid. A second
     * call does nothing.
     */
    @Override
    void close();
}
