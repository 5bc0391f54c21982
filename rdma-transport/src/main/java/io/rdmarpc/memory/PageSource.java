package io.rdmarpc.memory;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** Allocates memory to be registered. Thread-safe. */
@FunctionalInterface
public interface PageSource {

    /** Alignment of the memory, so that blocks of different owners never share a page. */
    long PAGE_BYTES = 4096;

    /** Allocates memory of the JVM outside the heap. */
    PageSource ORDINARY = (arena, bytes) -> arena.allocate(bytes, PAGE_BYTES);

    /**
     * Allocates zeroed memory that begins at a page boundary.
     *
     * @param arena the arena that owns the memory
     * @param bytes number of bytes
     * @return the memory
     */
    MemorySegment allocate(Arena arena, long bytes);

    /**
     * Returns a source of the memory that a device prefers for data that its peers do not READ.
     *
     * @param context the device that will register the memory
     * @return the source
     */
    static PageSource of(RdmaContext context) {
        return context::allocateMemory;
    }

    /**
     * Returns a source of memory that peers READ, and that peers on the same host may be able to copy without the NIC.
     *
     * @param context the device that will register the memory
     * @return the source
     */
    static PageSource lendable(RdmaContext context) {
        return context::allocateLendable;
    }

    /**
     * Returns a source of huge pages of a device's host. If the host has no free ones, or the device does not use them,
     * the source uses ordinary pages and logs this once.
     *
     * @param context the device that will register the memory
     * @return the source
     */
    static PageSource hugePages(RdmaContext context) {
        AtomicBoolean reported = new AtomicBoolean();
        return (arena, bytes) -> {
            try {
                return context.allocateHugePages(arena, bytes);
            } catch (RdmaVerbsException none) {
                if (reported.compareAndSet(false, true)) {
                    System.getLogger(PageSource.class.getName())
                            .log(Level.INFO, "Using ordinary pages instead of huge pages: {0}", none.getMessage());
                }
                return context.allocateMemory(arena, bytes);
            }
        };
    }
}
