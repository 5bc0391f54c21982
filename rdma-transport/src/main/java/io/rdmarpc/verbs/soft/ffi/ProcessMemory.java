package io.rdmarpc.verbs.soft.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory of this process, as C sees it: for inline data, which need not be registered, and what is known by address only. Whoever gives the address answers for
 * it, as in C.
 */
public final class ProcessMemory {

    @SuppressWarnings("restricted") // Made once, so that a copy allocates nothing.
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private ProcessMemory() {}

    /** Returns a number that others write to: what was stored before it was is seen. */
    public static long longAt(long address) {
        return (long) LONG.getAcquire(ALL, address);
    }

    /** Copies from an address. */
    public static void copy(long address, MemorySegment to, long offset, long bytes) {
        MemorySegment.copy(ALL, address, to, offset, bytes);
    }
}
