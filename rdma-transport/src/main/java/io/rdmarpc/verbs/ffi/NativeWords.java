package io.rdmarpc.verbs.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers at addresses outside of the heap, without a look at bounds, life and thread of a segment at each of them.
 *
 * <p>Only for memory that its user owns, for places that its user has checked, and while the user knows that it is there. Anything
 * else ends the JVM.
 */
public final class NativeWords {

    private static final boolean GRANTED =
            NativeAccess.isGranted() && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** All memory there is: its bounds are constants for the compiler. */
    @SuppressWarnings("restricted") // the one place that gives up the checks of a segment
    private static final MemorySegment ALL =
            GRANTED ? MemorySegment.NULL.reinterpret(Long.MAX_VALUE) : MemorySegment.NULL;

    private static final VarHandle LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.varHandle().withInvokeExactBehavior();
    private static final VarHandle ALIGNED_LONG =
            ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle INT =
            ValueLayout.JAVA_INT_UNALIGNED.varHandle().withInvokeExactBehavior();

    /** Longer ones are the C library's. */
    private static final int MOST_BYTES_BY_WORDS = 256;

    private NativeWords() {}

    /**
     * Tells whether memory is reached by addresses alone here; everything else is for nobody else.
     *
     * @return false without native access, and where the lowest byte does not come first
     */
    public static boolean isGranted() {
        return GRANTED;
    }

    /**
     * Reads four bytes.
     *
     * @param address where they begin
     * @return the number, lowest byte first
     */
    public static int getInt(long address) {
        return (int) INT.get(ALL, address);
    }

    /**
     * Reads eight bytes.
     *
     * @param address where they begin
     * @return the number, lowest byte first
     */
    public static long getLong(long address) {
        return (long) LONG.get(ALL, address);
    }

    /**
     * Reads eight bytes before anything that is read afterwards.
     *
     * @param address where they begin, a multiple of eight
     * @return the number
     */
    public static long getLongAcquire(long address) {
        return (long) ALIGNED_LONG.getAcquire(ALL, address);
    }

    /**
     * Writes eight bytes after everything that was written before.
     *
     * @param address where they begin, a multiple of eight
     * @param value the number
     */
    public static void setLongRelease(long address, long value) {
        ALIGNED_LONG.setRelease(ALL, address, value);
    }

    /**
     * Writes four bytes.
     *
     * @param address where they begin
     * @param value the number, lowest byte first
     */
    public static void setInt(long address, int value) {
        INT.set(ALL, address, value);
    }

    /**
     * Writes eight bytes.
     *
     * @param address where they begin
     * @param value the number, lowest byte first
     */
    public static void setLong(long address, long value) {
        LONG.set(ALL, address, value);
    }

    /**
     * Copies bytes; a short piece costs no call.
     *
     * @param from where they are
     * @param to where they are to be, in memory that does not overlap them
     * @param bytes how many
     */
    public static void copy(long from, long to, int bytes) {
        if (bytes > MOST_BYTES_BY_WORDS) {
            MemorySegment.copy(ALL, from, ALL, to, bytes);
            return;
        }
        int at = 0;
        // Not by the methods above: this is called from deep down, and C2 puts no more than 15 levels into one piece of
        // code.
        for (; at <= bytes - Long.BYTES; at += Long.BYTES) {
            LONG.set(ALL, to + at, (long) LONG.get(ALL, from + at));
        }
        for (; at < bytes; at++) {
            ALL.set(ValueLayout.JAVA_BYTE, to + at, ALL.get(ValueLayout.JAVA_BYTE, from + at));
        }
    }
}
