package io.rdmarpc.verbs.attributes;

/** The states of a port ({@code enum ibv_port_state}). */
public enum PortState {
    /** Unknown. */
    NOP(0),
    /** No link. */
    DOWN(1),
    /** Link is up, not configured. */
    INIT(2),
    /** Configured, not active. */
    ARMED(3),
    /** Ready for traffic. */
    ACTIVE(4),
    /** Active, with a short interruption of the link. */
    ACTIVE_DEFER(5);

    private static final PortState[] BY_CODE = values();

    private final int code;

    PortState(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_PORT_*} value
     */
    public int code() {
        return code;
    }

    /**
     * Finds the constant of a C value; the constants are declared in the order of their C values.
     *
     * @param code the C value
     * @return the constant, the first one for an unknown value
     */
    public static PortState of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
    }
}
