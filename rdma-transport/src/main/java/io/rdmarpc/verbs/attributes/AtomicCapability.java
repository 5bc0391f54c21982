package io.rdmarpc.verbs.attributes;

/** What the atomics of a device are atomic with ({@code enum ibv_atomic_cap}). */
public enum AtomicCapability {
    /** There are none. */
    NONE(0),
    /** With other atomics of the same device, not with those of the CPU. */
    HCA(1),
    /** With the CPU and everything else, too. */
    GLOB(2);

    private static final AtomicCapability[] BY_CODE = values();

    private final int code;

    AtomicCapability(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_ATOMIC_*} value
     */
    public int code() {
        return code;
    }

    /**
     * Finds the constant of a C value; the constants are declared in the order of their C values.
     *
     * @param code the C value
     * @return the constant, the first one for a value this version does not know
     */
    public static AtomicCapability of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
    }
}
