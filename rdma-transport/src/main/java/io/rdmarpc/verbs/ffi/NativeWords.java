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
    private static final VarHandle ALIGNED_INT =
            ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private static final VarHandle SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.varHandle().withInvokeExactBehavior();
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();

    /**
     * Addresses have fewer bits. Of a number without the others the compiler knows that it is within {@link #ALL} and leaves the check
     * out; most of the instructions of a copy of a small message were these checks.
     */
    private static final long ADDRESS_BITS = Long.MAX_VALUE >>> 1;

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
        return (int) INT.get(ALL, address & ADDRESS_BITS);
    }

    /**
     * Reads four bytes that others write, anew each time.
     *
     * @param address where they begin, a multiple of four
     * @return the number
     */
    public static int getIntOpaque(long address) {
        return (int) ALIGNED_INT.getOpaque(ALL, address & ADDRESS_BITS);
    }

    /**
     * Reads eight bytes.
     *
     * @param address where they begin
     * @return the number, lowest byte first
     */
    public static long getLong(long address) {
        return (long) LONG.get(ALL, address & ADDRESS_BITS);
    }

    /**
     * Reads eight bytes before anything that is read afterwards.
     *
     * @param address where they begin, a multiple of eight
     * @return the number
     */
    public static long getLongAcquire(long address) {
        return (long) ALIGNED_LONG.getAcquire(ALL, address & ADDRESS_BITS);
    }

    /**
     * Writes eight bytes after everything that was written before.
     *
     * @param address where they begin, a multiple of eight
     * @param value the number
     */
    public static void setLongRelease(long address, long value) {
        ALIGNED_LONG.setRelease(ALL, address & ADDRESS_BITS, value);
    }

    /**
     * Writes four bytes.
     *
     * @param address where they begin
     * @param value the number, lowest byte first
     */
    public static void setInt(long address, int value) {
        INT.set(ALL, address & ADDRESS_BITS, value);
    }

    /**
     * Writes eight bytes.
     *
     * @param address where they begin
     * @param value the number, lowest byte first
     */
    public static void setLong(long address, long value) {
        LONG.set(ALL, address & ADDRESS_BITS, value);
    }

    /**
     * Copies bytes, a short piece without the C library.
     *
     * <p>Written out, and too long for C2 to put it into its callers, so that it is compiled for itself. One access to a segment takes
     * seven levels of inlining; this is called from so deep down that they would go over the limit of 15, and then each access costs
     * calls.
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
        for (; at <= bytes - 64; at += 64) {
            long source = from + at & ADDRESS_BITS;
            long target = to + at & ADDRESS_BITS;
            long a = (long) LONG.get(ALL, source);
            long b = (long) LONG.get(ALL, source + 8);
            long c = (long) LONG.get(ALL, source + 16);
            long d = (long) LONG.get(ALL, source + 24);
            long e = (long) LONG.get(ALL, source + 32);
            long f = (long) LONG.get(ALL, source + 40);
            long g = (long) LONG.get(ALL, source + 48);
            long h = (long) LONG.get(ALL, source + 56);
            LONG.set(ALL, target, a);
            LONG.set(ALL, target + 8, b);
            LONG.set(ALL, target + 16, c);
            LONG.set(ALL, target + 24, d);
            LONG.set(ALL, target + 32, e);
            LONG.set(ALL, target + 40, f);
            LONG.set(ALL, target + 48, g);
            LONG.set(ALL, target + 56, h);
        }
        if ((bytes & 32) != 0) {
            long source = from + at & ADDRESS_BITS;
            long target = to + at & ADDRESS_BITS;
            long a = (long) LONG.get(ALL, source);
            long b = (long) LONG.get(ALL, source + 8);
            long c = (long) LONG.get(ALL, source + 16);
            long d = (long) LONG.get(ALL, source + 24);
            LONG.set(ALL, target, a);
            LONG.set(ALL, target + 8, b);
            LONG.set(ALL, target + 16, c);
            LONG.set(ALL, target + 24, d);
            at += 32;
        }
        if ((bytes & 16) != 0) {
            long source = from + at & ADDRESS_BITS;
            long target = to + at & ADDRESS_BITS;
            long a = (long) LONG.get(ALL, source);
            long b = (long) LONG.get(ALL, source + 8);
            LONG.set(ALL, target, a);
            LONG.set(ALL, target + 8, b);
            at += 16;
        }
        if ((bytes & 8) != 0) {
            long source = from + at & ADDRESS_BITS;
            long target = to + at & ADDRESS_BITS;
            long a = (long) LONG.get(ALL, source);
            LONG.set(ALL, target, a);
            at += 8;
        }
        if ((bytes & 4) != 0) {
            INT.set(ALL, to + at & ADDRESS_BITS, (int) INT.get(ALL, from + at & ADDRESS_BITS));
            at += 4;
        }
        if ((bytes & 2) != 0) {
            SHORT.set(ALL, to + at & ADDRESS_BITS, (short) SHORT.get(ALL, from + at & ADDRESS_BITS));
            at += 2;
        }
        if ((bytes & 1) != 0) {
            BYTE.set(ALL, to + at & ADDRESS_BITS, (byte) BYTE.get(ALL, from + at & ADDRESS_BITS));
        }
    }
}
