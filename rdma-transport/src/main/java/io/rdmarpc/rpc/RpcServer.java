package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A listening control port. Any thread. */
public interface RpcServer extends AutoCloseable {

    /**
     * Returns where clients connect.
     *
     * @return the bound address with its real port
     */
    InetSocketAddress address();

    /**
     * Stops so that no caller is left in doubt: takes no new clients, announces to each client the last calls that will run,
     * and waits until those are answered and the clients have the answers. Calls that arrive later are answered {@link
     * RdmaNotExecutedException}. Streams are not waited for. {@link #close} comes next.
     *
     * @param grace how long to wait for calls to be answered
     * @return false when some were not answered in that time
     */
    boolean drain(Duration grace);

    /**
     * Waits until the clients have closed their sessions, which they do when their last call or stream has ended. After {@link
     * #drain}.
     *
     * @param limit how long to wait
     * @return false when some sessions are still open
     */
    boolean awaitClients(Duration limit);

    /** Stops listening and says goodbye to every client. A second call does nothing. */
    @Override
    void close();
}
