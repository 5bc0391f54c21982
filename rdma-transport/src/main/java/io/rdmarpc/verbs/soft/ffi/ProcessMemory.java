package io.rdmarpc.verbs.soft.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory of this process by address, as in C. It is used for unregistered inline data and for memory known only by
 * its address. The caller is responsible for the address, as in C.
 */
public final class ProcessMemory {

    @SuppressWarnings("restricted") // Created once, so that a copy allocates nothing.
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private ProcessMemory() {}

    /** Reads a number that other threads write, with acquire semantics. */
    public static long longAt(long address) {
        return (long) LONG.getAcquire(ALL, address);
    }

    /** Copies from an address. */
    public static void copy(long address, MemorySegment to, long offset, long bytes) {
        MemorySegment.copy(ALL, address, to, offset, bytes);
    }
}
