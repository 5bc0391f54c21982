package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ServiceLoader;

/**
 * Finds ways to peers and waits for peers. An implementation is found by {@link ServiceLoader} and touches nothing native
 * before its first verb. Any thread.
 */
public interface ConnectionManager {

    /**
     * Finds the connection manager of this installation.
     *
     * @return it; whether it works here shows at the first verb
     * @throws RdmaVerbsException when there is none
     */
    static ConnectionManager load() {
        return ServiceLoader.load(ConnectionManager.class, ConnectionManager.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> RdmaVerbsException.notSupported(
                        "rdma_create_id", "", "No connection manager is on the class path: add rdma-transport to it"));
    }

    /**
     * Finds the device and the path to a peer ({@code rdma_resolve_addr}, {@code rdma_resolve_route}). The peer is not
     * told.
     *
     * @param destination where to
     * @param timeout how long this may take
     * @return the way, to be closed by the caller unless it becomes a connection
     * @throws RdmaCmException when there is no way, with the step that failed
     * @throws RdmaVerbsException when librdmacm or the kernel's part of it is missing
     */
    CmRoute resolve(CmDestination destination, Duration timeout);

    /**
     * Waits for peers at an address ({@code rdma_bind_addr}, {@code rdma_listen}). TCP ports are others: the same number
     * may be in use there.
     *
     * @param address the wildcard address stands for all devices; port 0 stands for a free one
     * @param backlog requests that may wait to be taken; the kernel drops more, and the peer asks again
     * @return the listener, to be closed by the caller
     * @throws IllegalArgumentException when the address is not resolved
     * @throws RdmaVerbsException when the address cannot be used, or librdmacm or the kernel's part of it is missing
     */
    CmListener listen(InetSocketAddress address, int backlog);
}
