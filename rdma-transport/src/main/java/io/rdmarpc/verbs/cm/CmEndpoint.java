package io.rdmarpc.verbs.cm;

import java.net.InetSocketAddress;

/**
 * One side of a connection, from address resolution to the disconnect. Thread-safe. Closing it wakes threads that wait
 * in it.
 */
public interface CmEndpoint extends AutoCloseable {

    /**
     * Returns the device to which the connection is bound. The queue pair must belong to it.
     *
     * @return such as {@code mlx5_0}
     */
    String deviceName();

    /**
     * Returns the device's port.
     *
     * @return from 1
     */
    int portNumber();

    /**
     * Returns the local address.
     *
     * @return the address with the port in use
     */
    InetSocketAddress localAddress();

    /**
     * Returns the peer's address.
     *
     * @return the address with its port
     */
    InetSocketAddress remoteAddress();

    /**
     * Ends the connection or its setup in any state, and notifies the peer. The queue pair stays open and belongs to
     * the caller. A second call does nothing.
     */
    @Override
    void close();
}
