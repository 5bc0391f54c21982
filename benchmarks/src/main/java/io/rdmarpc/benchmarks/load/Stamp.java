package io.rdmarpc.benchmarks.load;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Bytes that can be told from others: a number is written at both ends before they go and looked at when they come back. */
public final class Stamp {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private Stamp() {}

    /**
     * Writes a number at both ends.
     *
     * @param bytes what goes
     * @param number which
     */
    public static void write(byte[] bytes, long number) {
        LONG.set(bytes, 0, number);
        LONG.set(bytes, bytes.length - Long.BYTES, number);
    }

    /**
     * Writes a number at both ends.
     *
     * @param memory where it goes from
     * @param length how long it is
     * @param number which
     */
    public static void write(MemorySegment memory, int length, long number) {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, length - Long.BYTES, number);
    }

    /**
     * Looks at what came.
     *
     * @param bytes what came
     * @param length how long it should be
     * @param number which it should have
     */
    public static void check(byte[] bytes, int length, long number) {
        if (bytes.length != length
                || (long) LONG.get(bytes, 0) != number
                || (long) LONG.get(bytes, length - Long.BYTES) != number) {
            throw wrong(bytes.length, length);
        }
    }

    /**
     * Looks at what came.
     *
     * @param memory where it is
     * @param offset where it starts
     * @param came how long it is
     * @param length how long it should be
     * @param number which it should have
     */
    public static void check(MemorySegment memory, long offset, int came, int length, long number) {
        if (came != length
                || memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset) != number
                || memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + length - Long.BYTES) != number) {
            throw wrong(came, length);
        }
    }

    private static IllegalStateException wrong(int came, int length) {
        return new IllegalStateException(
                "the answer of " + came + " bytes is not the echo of the " + length + " bytes that were sent");
    }
}
