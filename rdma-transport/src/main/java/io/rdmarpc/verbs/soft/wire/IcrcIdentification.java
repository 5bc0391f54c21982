package io.rdmarpc.verbs.soft.wire;

/**
 * Derives the identification and flags of an IPv4 header, which sockets do not expose, from the ICRC that covers them
 * (RoCE v2 annex A17.3.3).
 *
 * <p>A CRC is linear: the exclusive-or of the CRCs of two packets of one length depends only on the bits in which the
 * packets differ. Identification and flags have four bytes, as many as the CRC, so exactly one value makes a packet's
 * ICRC valid. To find it, the difference of the two CRCs is divided by x once for each following bit: the CRC register
 * runs backward. The 16 bits of flags and fragment offset are known, so they still check the packet.
 */
final class IcrcIdentification {

    /** The polynomial of the CRC-32, lowest power in the highest bit. */
    private static final int POLYNOMIAL = 0xEDB8_8320;

    private static final int ONE = 1 << 31;
    private static final int STEP_BYTES = 4;

    /** Bytes from the identification to the end of the headers before the packet: 16 of IPv4, 8 of UDP. */
    private static final int HEADER_BYTES = 24;

    /** Entry n is x to the power of -32 n, for n times four bytes after the identification. */
    private static final int[] BACKWARDS = backwards((HEADER_BYTES + PacketBuffer.CAPACITY) / STEP_BYTES + 1);

    private IcrcIdentification() {}

    /**
     * Returns the bits in which the sender's identification and flags differ from those of a computed ICRC.
     *
     * @param difference the ICRC in the packet and the computed one, both in network order, exclusive-or
     * @param packetBytes the packet's length with ICRC, a multiple of 4
     * @return bytes 4 to 7 of the IPv4 header, exclusive-or
     */
    static int difference(int difference, int packetBytes) {
        int covered = HEADER_BYTES + packetBytes - Icrc.BYTES;
        return Integer.reverseBytes(multiply(Integer.reverseBytes(difference), BACKWARDS[covered / STEP_BYTES]));
    }

    private static int[] backwards(int entries) {
        int[] powers = new int[entries];
        int power = ONE;
        for (int i = 0; i < entries; i++) {
            powers[i] = power;
            for (int bit = 0; bit < STEP_BYTES * Byte.SIZE; bit++) {
                power = divideByX(power);
            }
        }
        return powers;
    }

    /** The inverse of {@link #multiplyByX}, in which only the polynomial sets the highest bit. */
    private static int divideByX(int value) {
        return value < 0 ? (value ^ POLYNOMIAL) << 1 | 1 : value << 1;
    }

    private static int multiplyByX(int value) {
        return (value >>> 1) ^ (-(value & 1) & POLYNOMIAL);
    }

    /** Multiplies two polynomials modulo the CRC's. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bits = a; bits != 0; bits <<= 1) {
            product ^= (bits >> 31) & shifted;
            shifted = multiplyByX(shifted);
        }
        return product;
    }
}
