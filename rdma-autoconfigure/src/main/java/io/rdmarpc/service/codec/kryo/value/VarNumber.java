package io.rdmarpc.service.codec.kryo.value;

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
        int bytes = bytesOf(value);
        if (bytes == MOST_BYTES) {
            into[at] = -1;
            WORD.set(into, at + 1, value);
        } else {
            long prefix = ~(-1L >>> (bytes - 1));
            WORD.set(into, at, value << (Long.SIZE - 7 * bytes) >>> bytes | prefix);
        }
        return bytes;
    }

    /**
     * By branches, not by counting bits: the numbers of one place are mostly of one length, which a processor foresees, so what
     * comes next need not wait for this.
     */
    private static int bytesOf(long value) {
        if (value >>> 14 == 0) {
            return value >>> 7 == 0 ? 1 : 2;
        }
        if (value >>> 28 == 0) {
            return value >>> 21 == 0 ? 3 : 4;
        }
        if (value >>> 42 == 0) {
            return value >>> 35 == 0 ? 5 : 6;
        }
        if (value >>> 56 == 0) {
            return value >>> 49 == 0 ? 7 : 8;
        }
        return MOST_BYTES;
    }

    /** Tells from the first byte how many a number takes; by branches, too. */
    static int bytes(byte first) {
        int front = first & 0xFF;
        if (front < 0xE0) {
            return front < 0x80 ? 1 : front < 0xC0 ? 2 : 3;
        }
        if (front < 0xFC) {
            return front < 0xF0 ? 4 : front < 0xF8 ? 5 : 6;
        }
        return front < 0xFE ? 7 : front < 0xFF ? 8 : MOST_BYTES;
    }

    /** Reads a number; from its first byte on the array must have {@link #MOST_BYTES}, whatever is in those behind it. */
    static long get(byte[] from, int at, int bytes) {
        if (bytes == MOST_BYTES) {
            return (long) WORD.get(from, at + 1);
        }
        return (long) WORD.get(from, at) << bytes >>> (Long.SIZE - 7 * bytes);
    }
}
