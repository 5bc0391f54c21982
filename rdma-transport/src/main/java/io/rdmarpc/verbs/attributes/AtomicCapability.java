package io.rdmarpc.verbs.attributes;

/** The scope within which a device's atomics are atomic ({@code enum ibv_atomic_cap}). */
public enum AtomicCapability {
    /** The device has no atomics. */
    NONE(0),
    /** Atomic with respect to other atomics of the same device, not to those of the CPU. */
    HCA(1),
    /** Atomic with respect to the CPU and all devices. */
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
     * @return the constant, the first one for an unknown value
     */
    public static AtomicCapability of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
    }
}
