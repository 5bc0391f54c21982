package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Executes atomics on 64 bits in this host's byte order, atomic also with respect to threads of this process ({@code
 * IBV_ATOMIC_GLOB}; InfiniBand Architecture Specification vol. 1, 9.4.5 and 10.6.4.3).
 */
final class AtomicUnit {

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private long found;

    /** Stores a value if the memory has an expected value; false if the memory was freed. */
    boolean compareAndSwap(SoftMemoryRegion region, long address, long compare, long swap) {
        MemorySegment memory = region.segment();
        try {
            found = (long) LONG.compareAndExchange(memory, address - memory.address(), compare, swap);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false; // The memory's arena is closed, or confined to another thread.
        }
    }

    /** Adds to a value; false if the memory was freed. */
    boolean fetchAndAdd(SoftMemoryRegion region, long address, long addend) {
        MemorySegment memory = region.segment();
        try {
            found = (long) LONG.getAndAdd(memory, address - memory.address(), addend);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false;
        }
    }

    /** Returns the original value of the last operation. */
    long found() {
        return found;
    }
}
