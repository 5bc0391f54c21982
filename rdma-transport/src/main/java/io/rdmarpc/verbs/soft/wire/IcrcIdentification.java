package io.rdmarpc.verbs.soft.wire;

/**
 * Finds the identification and flags of an IPv4 header that a socket does not show, from the ICRC that covers them (RoCE v2
 * annex A17.3.3).
 *
 * <p>A CRC is linear: when two packets differ, their CRCs differ by the difference's remainder, whatever else is in the
 * packets. The four bytes of identification and flags are as many as the CRC has, so exactly one value of them makes a
 * packet's ICRC right. To find it, the difference of the two CRCs is divided by x once for each bit that follows: the CRC's
 * register runs backwards. The 16 bits of flags and fragment offset are known, and thereby still check the packet.
 */
final class IcrcIdentification {

    /** The polynomial of the CRC-32, lowest power in the highest bit. */
    private static final int POLYNOMIAL = 0xEDB8_8320;

    private static final int ONE = 1 << 31;
    private static final int STEP_BYTES = 4;

    /** The identification's distance from the end of the headers in front of the packet: 16 of IPv4, 8 of UDP. */
    private static final int HEADER_BYTES = 24;

    /** Entry n: x to the power of -32 n, all that packets of n times four bytes need. */
    private static final int[] BACKWARDS = backwards((HEADER_BYTES + PacketBuffer.CAPACITY) / STEP_BYTES + 1);

    private IcrcIdentification() {}

    /**
     * Tells by which bits the sender's identification and flags differ from those that an ICRC was computed with.
     *
     * @param difference the ICRC in the packet and the computed one, as they travel, exclusive-or
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

    /** The inverse of {@link #multiplyByX}: only that sets the highest bit, by the polynomial's. */
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
