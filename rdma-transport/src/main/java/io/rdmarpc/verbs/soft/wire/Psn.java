package io.rdmarpc.verbs.soft.wire;

/**
 * Arithmetic of packet sequence numbers: 24 bits that wrap around (InfiniBand Architecture Specification vol. 1,
 * 9.7.1). Two numbers that are less than 2^23 apart have an order.
 */
public final class Psn {

    /** All bits of a sequence number. */
    public static final int MASK = 0xFF_FFFF;

    private static final int UNUSED_BITS = 8;

    private Psn() {}

    /** Returns the number {@code packets} later. */
    public static int plus(int psn, int packets) {
        return (psn + packets) & MASK;
    }

    /** Returns how many packets later {@code psn} is than {@code base}; negative if it is earlier. */
    public static int distance(int base, int psn) {
        return (psn - base) << UNUSED_BITS >> UNUSED_BITS;
    }

    /** Returns whether a number is before another one. */
    public static boolean isBefore(int psn, int other) {
        return distance(other, psn) < 0;
    }
}
