package io.rdmarpc.verbs.cm;

/**
 * The reason of a rejection, over InfiniBand and RoCE (InfiniBand Architecture Specification vol. 1, 12.6.7.2
 * "rejection reason").
 */
public enum CmRejectReason {
    /** The peer has no free queue pair. */
    NO_QP(1, "it has no free queue pair"),
    /** The peer has no free end-to-end context. */
    NO_EEC(2, "it has no free end-to-end context"),
    /** The peer has no free resources. */
    NO_RESOURCES(3, "it has no free resources"),
    /** The peer timed out. */
    TIMEOUT(4, "it timed out waiting for a response"),
    /** The peer does not support the request. */
    UNSUPPORTED(5, "it does not support the request"),
    /** The peer does not know the connection. */
    INVALID_COMM_ID(6, "it does not know this connection"),
    /** The peer does not know this instance of the connection. */
    INVALID_COMM_INSTANCE(7, "it does not know this instance of the connection"),
    /** No process listens on the port. */
    INVALID_SERVICE_ID(8, "no process listens on this port"),
    /** The peer does not offer this transport service. */
    INVALID_TRANSPORT_TYPE(9, "it does not offer this transport service"),
    /** The peer still has an older connection of the same queue pair. */
    STALE_CONN(10, "it still has an older connection of the same queue pair: use a new queue pair, or retry later"),
    /** A reliable datagram channel is missing. */
    RDC_NOT_EXIST(11, "a reliable datagram channel is missing"),
    /** The primary GID is not the peer's. */
    INVALID_GID(12, "the GID is not its own"),
    /** The primary LID is not the peer's. */
    INVALID_LID(13, "the LID is not its own"),
    /** The service level is not supported. */
    INVALID_SL(14, "it does not support the service level"),
    /** The traffic class is not supported. */
    INVALID_TRAFFIC_CLASS(15, "it does not support the traffic class"),
    /** The hop limit is not supported. */
    INVALID_HOP_LIMIT(16, "it does not support the hop limit"),
    /** The packet rate is not supported. */
    INVALID_PACKET_RATE(17, "it does not support the packet rate"),
    /** The alternate GID is not the peer's. */
    INVALID_ALT_GID(18, "the alternate GID is not its own"),
    /** The alternate LID is not the peer's. */
    INVALID_ALT_LID(19, "the alternate LID is not its own"),
    /** The alternate service level is not supported. */
    INVALID_ALT_SL(20, "it does not support the alternate service level"),
    /** The alternate traffic class is not supported. */
    INVALID_ALT_TRAFFIC_CLASS(21, "it does not support the alternate traffic class"),
    /** The alternate hop limit is not supported. */
    INVALID_ALT_HOP_LIMIT(22, "it does not support the alternate hop limit"),
    /** The alternate packet rate is not supported. */
    INVALID_ALT_PACKET_RATE(23, "it does not support the alternate packet rate"),
    /** The connection manager of another port is responsible. */
    PORT_CM_REDIRECT(24, "the connection manager of another port is responsible"),
    /** The peer requires another port. */
    PORT_REDIRECT(25, "it requires another port"),
    /** The path MTU is not supported. */
    INVALID_MTU(26, "it does not support the path MTU"),
    /** The peer cannot serve that many READs and atomics. */
    INSUFFICIENT_RESP_RESOURCES(27, "it cannot serve that many READs and atomics: lower the initiator depth"),
    /** The peer's program rejected the request; its private data may contain the reason. */
    CONSUMER_DEFINED(28, "its program rejected the request"),
    /** The receiver-not-ready retry count is not supported. */
    INVALID_RNR_RETRY(29, "it does not support the receiver-not-ready retry count"),
    /** The connection's number is in use already. */
    DUPLICATE_LOCAL_COMM_ID(30, "the connection's number is in use already"),
    /** The connection manager's version differs. */
    INVALID_CLASS_VERSION(31, "its connection manager has another version"),
    /** The flow label is not supported. */
    INVALID_FLOW_LABEL(32, "it does not support the flow label"),
    /** The alternate flow label is not supported. */
    INVALID_ALT_FLOW_LABEL(33, "it does not support the alternate flow label"),
    /** A reason that is not in this list. */
    OTHER(0, "its reason is unknown");

    private final int code;
    private final String description;

    CmRejectReason(int code, String description) {
        this.code = code;
        this.description = description;
    }

    /**
     * Returns the reason with a code.
     *
     * @param code as in the reject message
     * @return the reason, {@link #OTHER} for one that is not in the list
     */
    public static CmRejectReason of(int code) {
        for (CmRejectReason reason : values()) {
            if (reason.code == code) {
                return reason;
            }
        }
        return OTHER;
    }

    /**
     * Returns the code.
     *
     * @return as in the reject message, 0 for {@link #OTHER}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the description, which continues "The peer rejected the connection: ".
     *
     * @return the description
     */
    public String description() {
        return description;
    }
}
