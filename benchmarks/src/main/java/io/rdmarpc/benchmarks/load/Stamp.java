package io.rdmarpc.benchmarks.load;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes and checks bytes that differ from message to message. It writes all bytes before a message is sent and checks
 * all bytes after they return, as an application would. The cost is the same for every peer, in an array or in place.
 *
 * <pre>
 *   byte 0          8                                     length - 8
 *        number     lowest byte of the number, repeated   number
 * </pre>
 */
public final class Stamp {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** Factor that repeats the lowest byte eight times. */
    private static final long REPEAT = 0x0101010101010101L;

    /** Length up to which a loop is faster than the JDK's bulk methods, and creates no slice. */
    private static final int SHORT_BYTES = 256;

    private Stamp() {}

    /**
     * Fills an array.
     *
     * @param bytes the array; its length must be a multiple of eight
     * @param number number of the message
     */
    public static void write(byte[] bytes, long number) {
        int end = bytes.length - Long.BYTES;
        LONG.set(bytes, 0, number);
        LONG.set(bytes, end, number);
        if (end > SHORT_BYTES) {
            Arrays.fill(bytes, Long.BYTES, end, (byte) number);
            return;
        }
        for (int at = Long.BYTES; at < end; at += Long.BYTES) {
            LONG.set(bytes, at, body(number));
        }
    }

    /**
     * Fills memory.
     *
     * @param memory the memory
     * @param length length of the message, a multiple of eight
     * @param number number of the message
     */
    public static void write(MemorySegment memory, int length, long number) {
        int end = length - Long.BYTES;
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, end, number);
        if (end > SHORT_BYTES) {
            memory.asSlice(Long.BYTES, end - Long.BYTES).fill((byte) number);
            return;
        }
        for (int at = Long.BYTES; at < end; at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, body(number));
        }
    }

    /**
     * Checks all received bytes.
     *
     * @param bytes the received bytes
     * @param length expected length
     * @param number expected number
     */
    public static void check(byte[] bytes, int length, long number) {
        if (bytes.length != length || !isEcho(bytes, number)) {
            throw wrong(bytes.length, length);
        }
    }

    private static boolean isEcho(byte[] bytes, long number) {
        int end = bytes.length - Long.BYTES;
        if ((long) LONG.get(bytes, 0) != number || (long) LONG.get(bytes, end) != number) {
            return false;
        }
        if (end > SHORT_BYTES) {
            return (long) LONG.get(bytes, Long.BYTES) == body(number)
                    && Arrays.mismatch(bytes, Long.BYTES, end - Long.BYTES, bytes, 2 * Long.BYTES, end) < 0;
        }
        boolean same = true;
        for (int at = Long.BYTES; at < end; at += Long.BYTES) {
            same &= (long) LONG.get(bytes, at) == body(number);
        }
        return same;
    }

    /**
     * Checks all received bytes in place.
     *
     * @param memory the memory
     * @param offset offset of the message
     * @param came received length
     * @param length expected length
     * @param number expected number
     */
    public static void check(MemorySegment memory, long offset, int came, int length, long number) {
        if (came != length || !isEcho(memory, offset, length, number)) {
            throw wrong(came, length);
        }
    }

    /**
     * Compares the body with itself shifted by eight bytes, because it repeats one byte. No reference copy is needed.
     */
    private static boolean isEcho(MemorySegment memory, long offset, int length, long number) {
        long body = offset + Long.BYTES;
        long end = offset + length - Long.BYTES;
        if (longAt(memory, offset) != number || longAt(memory, end) != number) {
            return false;
        }
        if (length - Long.BYTES > SHORT_BYTES) {
            return longAt(memory, body) == body(number)
                    && MemorySegment.mismatch(memory, body, end - Long.BYTES, memory, body + Long.BYTES, end) < 0;
        }
        boolean same = true;
        for (int at = Long.BYTES; at < length - Long.BYTES; at += Long.BYTES) {
            same &= longAt(memory, offset + at) == body(number);
        }
        return same;
    }

    private static long longAt(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private static long body(long number) {
        return (number & 0xff) * REPEAT;
    }

    private static IllegalStateException wrong(int came, int length) {
        return new IllegalStateException(
                "the response of " + came + " bytes is not the echo of the " + length + " bytes that were sent");
    }
}
