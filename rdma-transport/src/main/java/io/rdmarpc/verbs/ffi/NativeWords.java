package io.rdmarpc.verbs.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and writes numbers at native addresses without the bounds, lifetime and thread checks of a segment.
 *
 * <p>The caller must own the memory, must have checked the bounds, and must ensure that the memory is still allocated.
 * Any other access crashes the JVM.
 */
public final class NativeWords {

    private static final boolean GRANTED =
            NativeAccess.isGranted() && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** The whole address space; its bounds are constants for the compiler. */
    @SuppressWarnings("restricted") // Only a segment of all memory avoids the checks.
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
     * Mask of the bits that an address can have. For a masked number the compiler proves that it lies within
     * {@link #ALL}, and omits the bounds check. These checks were most of the instructions of a small copy.
     */
    private static final long ADDRESS_BITS = Long.MAX_VALUE >>> 1;

    /** Longer copies use the C library. */
    private static final int MAX_BYTES_BY_WORDS = 256;

    private NativeWords() {}

    /**
     * Returns whether native memory can be accessed by address. All other methods require it.
     *
     * @return false without native access and on big-endian machines
     */
    public static boolean isGranted() {
        return GRANTED;
    }

    /**
     * Reads four bytes.
     *
     * @param address the first byte
     * @return the number, little-endian
     */
    public static int getInt(long address) {
        return (int) INT.get(ALL, address & ADDRESS_BITS);
    }

    /**
     * Reads four bytes that other threads or processes write, with opaque memory ordering.
     *
     * @param address the first byte, a multiple of four
     * @return the number
     */
    public static int getIntOpaque(long address) {
        return (int) ALIGNED_INT.getOpaque(ALL, address & ADDRESS_BITS);
    }

    /**
     * Reads eight bytes.
     *
     * @param address the first byte
     * @return the number, little-endian
     */
    public static long getLong(long address) {
        return (long) LONG.get(ALL, address & ADDRESS_BITS);
    }

    /**
     * Reads eight bytes with acquire memory ordering.
     *
     * @param address the first byte, a multiple of eight
     * @return the number
     */
    public static long getLongAcquire(long address) {
        return (long) ALIGNED_LONG.getAcquire(ALL, address & ADDRESS_BITS);
    }

    /**
     * Writes eight bytes with release memory ordering.
     *
     * @param address the first byte, a multiple of eight
     * @param value the number
     */
    public static void setLongRelease(long address, long value) {
        ALIGNED_LONG.setRelease(ALL, address & ADDRESS_BITS, value);
    }

    /**
     * Writes four bytes.
     *
     * @param address the first byte
     * @param value the number, little-endian
     */
    public static void setInt(long address, int value) {
        INT.set(ALL, address & ADDRESS_BITS, value);
    }

    /**
     * Writes eight bytes.
     *
     * @param address the first byte
     * @param value the number, little-endian
     */
    public static void setLong(long address, long value) {
        LONG.set(ALL, address & ADDRESS_BITS, value);
    }

    /**
     * Copies bytes; short copies do not use the C library.
     *
     * <p>The code is unrolled and too long for C2 to inline it into callers, so that it is compiled separately. One
     * access to a segment needs seven levels of inlining. The callers of this method are so deep that inlining would
     * exceed the limit of 15 levels, and each access would become calls.
     *
     * @param from the first byte of the source
     * @param to the first byte of the target, which must not overlap the source
     * @param bytes the length
     */
    public static void copy(long from, long to, int bytes) {
        if (bytes > MAX_BYTES_BY_WORDS) {
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
