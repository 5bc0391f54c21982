package io.rdmarpc.verbs.soft.wire;

/**
 * Arithmetic of packet sequence numbers: 24 bits that wrap round (InfiniBand Architecture Specification vol. 1, 9.7.1). Of two
 * numbers less than 2^23 apart one is earlier.
 */
public final class Psn {

    /** All bits of a sequence number. */
    public static final int MASK = 0xFF_FFFF;

    private static final int UNUSED_BITS = 8;

    private Psn() {}

    /** Returns the number that comes {@code packets} later. */
    public static int plus(int psn, int packets) {
        return (psn + packets) & MASK;
    }

    /** Returns how many packets later {@code psn} is than {@code base}; negative when it is earlier. */
    public static int distance(int base, int psn) {
        return (psn - base) << UNUSED_BITS >> UNUSED_BITS;
    }

    /** Tells whether a number is before another. */
    public static boolean isBefore(int psn, int other) {
        return distance(other, psn) < 0;
    }
}
