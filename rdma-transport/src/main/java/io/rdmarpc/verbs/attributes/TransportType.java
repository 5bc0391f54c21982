package io.rdmarpc.verbs.attributes;

/** The protocol family of a device ({@code enum ibv_transport_type}). */
public enum TransportType {
    /** Not known. */
    UNKNOWN(-1),
    /** The InfiniBand transport, which RoCE also uses. */
    IB(0),
    /** iWARP: RDMA over TCP. */
    IWARP(1),
    /** Cisco usNIC. */
    USNIC(2),
    /** Cisco usNIC over UDP. */
    USNIC_UDP(3),
    /** Another kind, such as Amazon's EFA. */
    UNSPECIFIED(4);

    private final int code;

    TransportType(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_TRANSPORT_*} value
     */
    public int code() {
        return code;
    }

    /**
     * Finds the constant of a C value.
     *
     * @param code the C value
     * @return the constant, {@link #UNKNOWN} for an unknown value
     */
    public static TransportType of(int code) {
        return code >= 0 && code < values().length - 1 ? values()[code + 1] : UNKNOWN;
    }
}
