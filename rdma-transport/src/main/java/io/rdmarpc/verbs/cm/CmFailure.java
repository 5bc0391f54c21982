package io.rdmarpc.verbs.cm;

/** Why there is no connection, or none any more. All but the last two are events of librdmacm. */
public enum CmFailure {
    /** The address could not be resolved: no route, no answer to ARP or neighbour discovery, no RDMA device. */
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
    /** Nothing happened within the time the caller gave. */
    TIMEOUT,
    /** Another thread closed the object. */
    CLOSED
}
