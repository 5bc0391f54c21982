package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A listening control port. Thread-safe. */
public interface RpcServer extends AutoCloseable {

    /**
     * Returns the address to which clients connect.
     *
     * @return the bound address with the actual port
     */
    InetSocketAddress address();

    /**
     * Stops gracefully. The server accepts no new clients, announces to each client the last calls that will run, and
     * waits for their responses. It also waits until the clients have received them. Later calls fail with
     * {@link RdmaNotExecutedException}. This method does not wait for streams. Call {@link #close} after it.
     *
     * @param grace how long to wait for the responses
     * @return false if some calls have no response after that time
     */
    boolean drain(Duration grace);

    /**
     * Waits until the clients have closed their sessions. Clients close a session when its last call or stream has
     * ended. Call it after {@link #drain}.
     *
     * @param limit how long to wait
     * @return false if some sessions are still open
     */
    boolean awaitClients(Duration limit);

    /** Stops listening, and notifies and disconnects every client. A second call does nothing. */
    @Override
    void close();
}
