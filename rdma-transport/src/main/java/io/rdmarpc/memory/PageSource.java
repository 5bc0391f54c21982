package io.rdmarpc.memory;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** Where memory to be registered comes from. Any thread. */
@FunctionalInterface
public interface PageSource {

    /** Blocks of different owners never share a page, and a huge chunk starts where huge pages may start. */
    long PAGE_BYTES = 4096;

    /** The JVM's memory outside the heap. */
    PageSource ORDINARY = (arena, bytes) -> arena.allocate(bytes, PAGE_BYTES);

    /**
     * Allocates zeroed memory that begins at a page.
     *
     * @param arena owns it
     * @param bytes how many
     * @return the memory
     */
    MemorySegment allocate(Arena arena, long bytes);

    /**
     * What a device takes for memory that its peers do not READ.
     *
     * @param context the device that will register the memory
     * @return the source
     */
    static PageSource of(RdmaContext context) {
        return context::allocateMemory;
    }

    /**
     * Memory for what peers are to READ, which those on the same host may be able to copy themselves.
     *
     * @param context the device that will register the memory
     * @return the source
     */
    static PageSource lendable(RdmaContext context) {
        return context::allocateLendable;
    }

    /**
     * Huge pages of a device's host as long as there are some, then ordinary ones; the first time that happens is
     * written to the log.
     *
     * @param context the device that will register the memory
     * @return the source
     */
    static PageSource hugePages(RdmaContext context) {
        AtomicBoolean told = new AtomicBoolean();
        return (arena, bytes) -> {
            try {
                return context.allocateHugePages(arena, bytes);
            } catch (RdmaVerbsException none) {
                if (told.compareAndSet(false, true)) {
                    System.getLogger(PageSource.class.getName())
                            .log(Level.INFO, "Ordinary pages are used: {0}", none.getMessage());
                }
                return context.allocateMemory(arena, bytes);
            }
        };
    }
}
