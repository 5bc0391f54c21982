package io.rdmarpc.verbs.cm;

/**
 * Why a peer said no, on InfiniBand and RoCE (InfiniBand Architecture Specification vol. 1, 12.6.7.2 "rejection
 * reason").
 */
public enum CmRejectReason {
    /** The peer has no queue pair left. */
    NO_QP(1, "it has no queue pair left"),
    /** The peer has no end-to-end context left. */
    NO_EEC(2, "it has no end-to-end context left"),
    /** The peer has no resources left. */
    NO_RESOURCES(3, "it has no resources left"),
    /** The peer gave up waiting. */
    TIMEOUT(4, "it gave up waiting for an answer"),
    /** The peer does not support what was asked for. */
    UNSUPPORTED(5, "it does not support what was asked for"),
    /** The peer does not know the connection. */
    INVALID_COMM_ID(6, "it does not know this connection"),
    /** The peer does not know this instance of the connection. */
    INVALID_COMM_INSTANCE(7, "it does not know this instance of the connection"),
    /** Nobody listens at the port. */
    INVALID_SERVICE_ID(8, "nobody listens at this port"),
    /** The peer does not offer this transport service. */
    INVALID_TRANSPORT_TYPE(9, "it does not offer this transport service"),
    /** The peer still has an older connection of the same queue pair. */
    STALE_CONN(10, "it still has an older connection of the same queue pair: use a new queue pair, or try again later"),
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
    /** Another port's connection manager answers. */
    PORT_CM_REDIRECT(24, "the connection manager of another port answers"),
    /** Another port is to be used. */
    PORT_REDIRECT(25, "another port is to be used"),
    /** The path MTU is not supported. */
    INVALID_MTU(26, "it does not support the path MTU"),
    /** The peer cannot answer that many READs and atomics. */
    INSUFFICIENT_RESP_RESOURCES(27, "it cannot answer that many READs and atomics: lower the initiator depth"),
    /** The peer's program refused, and may have said why in its private data. */
    CONSUMER_DEFINED(28, "its program refused"),
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
    /** A reason that this list does not have. */
    OTHER(0, "its reason is not a known one");

    private final int code;
    private final String words;

    CmRejectReason(int code, String words) {
        this.code = code;
        this.words = words;
    }

    /**
     * Finds a reason by its code.
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
     * Says it in words that go on from "the peer rejected the connection: ".
     *
     * @return words
     */
    public String words() {
        return words;
    }
}
