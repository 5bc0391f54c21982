package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Carries out atomics on 64 bits in this host's byte order, atomic against the threads of this process too
 * ({@code IBV_ATOMIC_GLOB}; InfiniBand Architecture Specification vol. 1, 9.4.5 and 10.6.4.3).
 */
final class AtomicUnit {

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private long found;

    /** Stores a value when another one is there; false when the memory is gone. */
    boolean compareAndSwap(SoftMemoryRegion region, long address, long compare, long swap) {
        MemorySegment memory = region.segment();
        try {
            found = (long) LONG.compareAndExchange(memory, address - memory.address(), compare, swap);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false; // As with copies: its arena is closed, or belongs to one thread and another one polls.
        }
    }

    /** Adds to a value; false when the memory is gone. */
    boolean fetchAndAdd(SoftMemoryRegion region, long address, long addend) {
        MemorySegment memory = region.segment();
        try {
            found = (long) LONG.getAndAdd(memory, address - memory.address(), addend);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false;
        }
    }

    /** Returns the value that was there before. */
    long found() {
        return found;
    }
}
