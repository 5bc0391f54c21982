package io.rdmarpc.verbs.cm;

/** The event that prevented or ended a connection. All but the last two are events of librdmacm. */
public enum CmFailure {
    /**
     * The address could not be resolved: there is no route, or the interface to it has no RDMA device. If no host
     * responds at the address, the caller's timeout usually expires first: {@link #TIMEOUT}.
     */
    ADDR_ERROR,
    /** The path to the address could not be found. */
    ROUTE_ERROR,
    /** The connection could not be established on this side. */
    CONNECT_ERROR,
    /** The peer did not respond to repeated requests. The kernel stops after about a minute. */
    UNREACHABLE,
    /** The peer rejected the connection. */
    REJECTED,
    /** The peer disconnected before the connection was ready. */
    DISCONNECTED,
    /** The device was removed, or its driver unloaded. */
    DEVICE_REMOVAL,
    /**
     * No event arrived within the caller's timeout. No host responds to ARP or neighbor discovery, or the peer's
     * program does not respond.
     */
    TIMEOUT,
    /** The object was closed, before the call or by another thread during it. */
    CLOSED
}
