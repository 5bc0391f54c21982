package io.rdmarpc.verbs.attributes;

/** The role of a device in its network ({@code enum ibv_node_type}). */
public enum NodeType {
    /** Not known. */
    UNKNOWN(-1),
    /** A channel adapter: InfiniBand and RoCE. */
    CA(1),
    /** A switch. */
    SWITCH(2),
    /** A router. */
    ROUTER(3),
    /** An iWARP NIC. */
    RNIC(4),
    /** A Cisco usNIC. */
    USNIC(5),
    /** A Cisco usNIC over UDP. */
    USNIC_UDP(6),
    /** Another kind, such as Amazon's EFA. */
    UNSPECIFIED(7);

    private final int code;

    NodeType(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_NODE_*} value
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
    public static NodeType of(int code) {
        return code >= 1 && code < values().length ? values()[code] : UNKNOWN;
    }
}
