package io.rdmarpc.verbs.attributes;

/** The maximum payload of a packet on a path ({@code enum ibv_mtu}). */
public enum PathMtu {
    /** 256 bytes. */
    MTU_256(1, 256),
    /** 512 bytes. */
    MTU_512(2, 512),
    /** 1024 bytes: the largest path MTU that fits an Ethernet MTU of 1500 bytes. */
    MTU_1024(3, 1024),
    /** 2048 bytes. */
    MTU_2048(4, 2048),
    /** 4096 bytes: the largest path MTU. */
    MTU_4096(5, 4096);

    private static final PathMtu[] ALL = values();

    private final int code;
    private final int bytes;

    PathMtu(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_MTU_*} value, 1 to 5
     */
    public int code() {
        return code;
    }

    /**
     * Returns the size in bytes.
     *
     * @return payload bytes of one packet
     */
    public int bytes() {
        return bytes;
    }

    /**
     * Finds the MTU of a C value.
     *
     * @param code an {@code IBV_MTU_*} value, 1 to 5
     * @return the MTU
     */
    public static PathMtu of(int code) {
        if (code < 1 || code > ALL.length) {
            throw new IllegalArgumentException("path MTU code " + code + " is not 1 to 5 (256 to 4096 bytes)");
        }
        return ALL[code - 1];
    }

    /**
     * Finds the largest path MTU that fits.
     *
     * @param payloadBytes the payload that fits one packet after all headers
     * @return the largest MTU of at most that size, or {@link #MTU_256} if none fits
     */
    public static PathMtu fitting(int payloadBytes) {
        PathMtu best = MTU_256;
        for (PathMtu mtu : ALL) {
            if (mtu.bytes <= payloadBytes) {
                best = mtu;
            }
        }
        return best;
    }

    /**
     * Finds the MTU of an exact size.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096
     * @return the MTU
     */
    public static PathMtu ofBytes(int bytes) {
        for (PathMtu mtu : ALL) {
            if (mtu.bytes == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException(
                "path MTU of " + bytes + " bytes is not one of 256, 512, 1024, 2048 and 4096");
    }

    /**
     * Returns the smaller of two MTUs.
     *
     * @param other another MTU
     * @return the largest MTU that both paths carry
     */
    public PathMtu min(PathMtu other) {
        return code <= other.code ? this : other;
    }
}
