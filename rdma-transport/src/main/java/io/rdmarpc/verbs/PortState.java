package io.rdmarpc.verbs;

/** The states of a port ({@code enum ibv_port_state}). */
public enum PortState {
    /** Unknown. */
    NOP,
    /** No link. */
    DOWN,
    /** Link is up, not configured. */
    INIT,
    /** Configured, not active. */
    ARMED,
    /** Ready for traffic. */
    ACTIVE,
    /** Active, link shortly interrupted. */
    ACTIVE_DEFER;

    private static final PortState[] BY_CODE = values();

    /**
     * Finds the constant of a C value; the constants are declared in the order of their C values.
     *
     * @param code the C value
     * @return the constant, the first one for a value this version does not know
     */
    public static PortState of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
    }
}
