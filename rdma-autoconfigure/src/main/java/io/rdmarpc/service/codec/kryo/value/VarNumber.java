package io.rdmarpc.service.codec.kryo.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Integers in one to nine bytes. The number of leading 1 bits of the first byte is the number of bytes that follow. A
 * number is therefore stored and loaded with one access:
 *
 * <pre>
 *   0vvvvvvv                          up to  7 bits
 *   10vvvvvv vvvvvvvv                 up to 14 bits
 *   110vvvvv vvvvvvvv vvvvvvvv        up to 21 bits
 *   ...
 *   11111111 and eight bytes          up to 64 bits
 * </pre>
 *
 * <p>A value below 128 is its own byte, as in Kryo's encoding. Both use one more byte for each further 7 bits. Signed
 * numbers use zigzag encoding, 0, -1, 1, -2, so that those near 0 are short.
 */
final class VarNumber {

    static final int MAX_BYTES = 9;

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

    /**
     * Writes a number and returns its length in bytes. Up to {@link #MAX_BYTES} bytes of the array are overwritten.
     */
    static int put(long value, byte[] into, int at) {
        int bytes = bytesOf(value);
        if (bytes == MAX_BYTES) {
            into[at] = -1;
            WORD.set(into, at + 1, value);
        } else {
            long prefix = ~(-1L >>> (bytes - 1));
            WORD.set(into, at, value << (Long.SIZE - 7 * bytes) >>> bytes | prefix);
        }
        return bytes;
    }

    /**
     * Uses branches instead of counting leading zeros. Numbers of one call site mostly have the same length, so the
     * branches are predicted and later instructions need not wait.
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
        return MAX_BYTES;
    }

    /** Returns the length of a number in bytes from its first byte, using branches as well. */
    static int bytes(byte first) {
        int front = first & 0xFF;
        if (front < 0xE0) {
            return front < 0x80 ? 1 : front < 0xC0 ? 2 : 3;
        }
        if (front < 0xFC) {
            return front < 0xF0 ? 4 : front < 0xF8 ? 5 : 6;
        }
        return front < 0xFE ? 7 : front < 0xFF ? 8 : MAX_BYTES;
    }

    /**
     * Reads a number. The array must have {@link #MAX_BYTES} bytes from its first byte, of which those after the
     * number may have any value.
     */
    static long get(byte[] from, int at, int bytes) {
        if (bytes == MAX_BYTES) {
            return (long) WORD.get(from, at + 1);
        }
        return (long) WORD.get(from, at) << bytes >>> (Long.SIZE - 7 * bytes);
    }
}
