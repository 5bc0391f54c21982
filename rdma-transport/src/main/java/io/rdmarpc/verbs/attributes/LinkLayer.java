package io.rdmarpc.verbs.attributes;

/** The link layer of a port ({@code IBV_LINK_LAYER_*}). */
public enum LinkLayer {
    /** Unknown; old programs interpret it as InfiniBand. */
    UNSPECIFIED,
    /** InfiniBand. */
    INFINIBAND,
    /** Ethernet: RoCE. */
    ETHERNET;

    private static final LinkLayer[] BY_CODE = values();

    /**
     * Finds the constant of a C value; the constants are declared in the order of their C values.
     *
     * @param code the C value
     * @return the constant, the first one for an unknown value
     */
    public static LinkLayer of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
    }
}
