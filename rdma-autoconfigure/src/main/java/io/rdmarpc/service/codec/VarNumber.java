package io.rdmarpc.service.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Whole numbers in one to nine bytes. The bits that are 1 at the front of the first byte say how many bytes follow, so that a
 * number is stored or loaded at once instead of byte by byte:
 *
 * <pre>
 *   0vvvvvvv                          up to  7 bits
 *   10vvvvvv vvvvvvvv                 up to 14 bits
 *   110vvvvv vvvvvvvv vvvvvvvv        up to 21 bits
 *   ...
 *   11111111 and eight bytes          up to 64 bits
 * </pre>
 *
 * <p>What is below 128 is the byte itself, as in Kryo's form, which takes a byte more for each 7 bits, too. Numbers with a sign
 * take turns, 0, -1, 1, -2, so that those near 0 are short.
 */
final class VarNumber {

    static final int MOST_BYTES = 9;

    /** Bits of a number that fit eight bytes beside their prefix. */
    private static final int BITS_IN_A_WORD = 56;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private VarNumber() {}

    static long signed(long value) {
        return value << 1 ^ value >> 63;
    }

    static long unsigned(int value) {
        return (value << 1 ^ value >> 31) & 0xFFFF_FFFFL;
    }

    static long plain(long signed) {
        return signed >>> 1 ^ -(signed & 1);
    }

    /** Writes a number, and anything up to {@link #MOST_BYTES}; gives how many bytes it takes. */
    static int put(long value, byte[] into, int at) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
        if (bits > BITS_IN_A_WORD) {
            into[at] = -1;
            WORD.set(into, at + 1, value);
            return MOST_BYTES;
        }
        // A seventh of the bits, rounded up, without a division.
        int bytes = (bits * 9 + 64) >>> 6;
        long prefix = ~(-1L >>> (bytes - 1));
        WORD.set(into, at, value << (Long.SIZE - 7 * bytes) >>> bytes | prefix);
        return bytes;
    }

    /** Tells from the first byte how many a number takes. */
    static int bytes(byte first) {
        return Integer.numberOfLeadingZeros(~(first << 24)) + 1;
    }

    /** Reads a number; from its first byte on the array must have {@link #MOST_BYTES}, whatever is in those behind it. */
    static long get(byte[] from, int at, int bytes) {
        if (bytes == MOST_BYTES) {
            return (long) WORD.get(from, at + 1);
        }
        return (long) WORD.get(from, at) << bytes >>> (Long.SIZE - 7 * bytes);
    }
}
