package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ServiceLoader;

/**
 * Resolves routes to peers and accepts connection requests. {@link ServiceLoader} finds the implementation, which loads
 * no native library before its first verb. Thread-safe.
 */
public interface ConnectionManager {

    /**
     * Returns the connection manager of this installation.
     *
     * @return the connection manager; its first verb fails if the host does not support it
     * @throws RdmaVerbsException if there is none
     */
    static ConnectionManager load() {
        return ServiceLoader.load(ConnectionManager.class, ConnectionManager.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> RdmaVerbsException.notSupported(
                        "rdma_create_id", "", "No connection manager is on the class path: add rdma-transport to it"));
    }

    /**
     * Resolves the device and the path to a peer ({@code rdma_resolve_addr}, {@code rdma_resolve_route}). The peer is
     * not notified.
     *
     * @param destination the peer's address, and optionally the local one
     * @param timeout maximum duration
     * @return the route, which the caller closes unless it becomes a connection
     * @throws RdmaCmException if there is no route, with the step that failed
     * @throws RdmaVerbsException if librdmacm or its kernel module is missing
     */
    CmRoute resolve(CmDestination destination, Duration timeout);

    /**
     * Listens at an address ({@code rdma_bind_addr}, {@code rdma_listen}). The port space is separate from TCP: a TCP
     * socket may use the same port number.
     *
     * @param address the wildcard address selects all devices; port 0 selects a free port
     * @param backlog maximum number of requests that wait for {@link CmListener#accept}; the kernel drops further ones,
     *     and the peer retries
     * @return the listener, which the caller closes
     * @throws IllegalArgumentException if the address is not resolved
     * @throws RdmaVerbsException if the address cannot be used, or librdmacm or its kernel module is missing
     */
    CmListener listen(InetSocketAddress address, int backlog);
}
