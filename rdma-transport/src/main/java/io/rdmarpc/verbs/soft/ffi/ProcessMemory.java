package io.rdmarpc.verbs.soft.ffi;

import java.lang.foreign.MemorySegment;

/**
 * The memory of this process, as C sees it: for inline data, which need not be registered. Whoever gives the address answers for
 * it, as in C.
 */
public final class ProcessMemory {

    @SuppressWarnings("restricted") // Made once, so that a copy allocates nothing.
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private ProcessMemory() {}

    /** Copies from an address. */
    public static void copy(long address, MemorySegment to, long offset, long bytes) {
        MemorySegment.copy(ALL, address, to, offset, bytes);
    }
}
