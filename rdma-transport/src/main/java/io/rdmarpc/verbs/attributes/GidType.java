package io.rdmarpc.verbs.attributes;

/** The kinds of GID table entries ({@code enum ibv_gid_type}). */
public enum GidType {
    /** InfiniBand. */
    IB,
    /** RoCE v1: Ethernet, not routable. */
    ROCE_V1,
    /** RoCE v2: UDP over IP. */
    ROCE_V2;

    private static final GidType[] BY_CODE = values();

    /**
     * Finds the constant of a C value; the constants are declared in the order of their C values.
     *
     * @param code the C value
     * @return the constant, the first one for an unknown value
     */
    public static GidType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
    }
}
