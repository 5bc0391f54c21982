package io.rdmarpc.rpc;

import java.net.InetSocketAddress;

/** A listening control port. Any thread. */
public interface RpcServer extends AutoCloseable {

    /**
     * Returns where clients connect.
     *
     * @return the bound address with its real port
     */
    InetSocketAddress address();

    /** Stops listening and says goodbye to every client. A second call does nothing. */
    @Override
    void close();
}
