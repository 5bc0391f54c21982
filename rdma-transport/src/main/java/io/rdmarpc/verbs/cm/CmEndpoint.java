package io.rdmarpc.verbs.cm;

import java.net.InetSocketAddress;

/** One side of a connection, from the first step to the last. Any thread; closing wakes those that wait. */
public interface CmEndpoint extends AutoCloseable {

    /**
     * Returns the device the connection is bound to: the queue pair must be one of it.
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
     * Returns the own address.
     *
     * @return with the port that was chosen
     */
    InetSocketAddress localAddress();

    /**
     * Returns the peer's address.
     *
     * @return with its port
     */
    InetSocketAddress remoteAddress();

    /**
     * Ends it, whatever it was doing; the peer is told. The queue pair stays open and belongs to the caller. A second
     * call does nothing.
     */
    @Override
    void close();
}
