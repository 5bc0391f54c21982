package io.rdmarpc.verbs.ibverbs.ffi.cm;

import io.rdmarpc.verbs.error.RdmaVerbsException;

/** The events of librdmacm in the order of {@code enum rdma_cm_event_type}. */
public enum CmEventType {
    ADDR_RESOLVED,
    ADDR_ERROR,
    ROUTE_RESOLVED,
    ROUTE_ERROR,
    CONNECT_REQUEST,
    CONNECT_RESPONSE,
    CONNECT_ERROR,
    UNREACHABLE,
    REJECTED,
    ESTABLISHED,
    DISCONNECTED,
    DEVICE_REMOVAL,
    MULTICAST_JOIN,
    MULTICAST_ERROR,
    ADDR_CHANGE,
    TIMEWAIT_EXIT;

    private static final CmEventType[] VALUES = values();

    static CmEventType of(int code) {
        if (code < 0 || code >= VALUES.length) {
            throw new RdmaVerbsException("rdma_get_cm_event", "", 0, "This version does not support the event " + code);
        }
        return VALUES[code];
    }
}
