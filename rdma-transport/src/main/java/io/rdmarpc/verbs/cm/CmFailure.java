package io.rdmarpc.verbs.cm;

/** Why there is no connection, or none any more. All but the last two are events of librdmacm. */
public enum CmFailure {
    /**
     * The address could not be resolved: there is no route, or the interface towards it has no RDMA device. When nobody
     * answers at the address, the time of the caller is over first: {@link #TIMEOUT}.
     */
    ADDR_ERROR,
    /** The path to the address could not be found. */
    ROUTE_ERROR,
    /** The connection could not be set up on this side. */
    CONNECT_ERROR,
    /** The peer did not answer although it was asked again and again: the kernel gave up, after about a minute. */
    UNREACHABLE,
    /** The peer said no. */
    REJECTED,
    /** The peer disconnected before the connection was ready. */
    DISCONNECTED,
    /** The device was removed, or its driver unloaded. */
    DEVICE_REMOVAL,
    /**
     * Nothing happened within the time the caller gave: nobody answers to ARP or neighbour discovery, or the peer's
     * program does not answer.
     */
    TIMEOUT,
    /** The object was closed before, or meanwhile by another thread. */
    CLOSED
}
