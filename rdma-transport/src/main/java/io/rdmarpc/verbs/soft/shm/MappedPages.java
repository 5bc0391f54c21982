package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.shm.budget.PeerBudget;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer, mapped until the peer has freed it or is gone and no view of it is left. The number of views is in
 * the last eight bytes of the memory, where its owner reads it.
 */
final class MappedPages implements PeerMemory.Sight {

    private static final System.Logger LOG = System.getLogger(MappedPages.class.getName());

    private final Arena arena;
    private final MemorySegment memory;
    private final PeerBudget.Share room;

    /** The owner of the mapping, and all views. */
    private final AtomicInteger users = new AtomicInteger(1);

    private MappedPages(Arena arena, MemorySegment memory, PeerBudget.Share room) {
        this.arena = arena;
        this.memory = memory;
        this.room = room;
    }

    /**
     * Maps memory.
     *
     * @param room its share of the budget, closed at the end of the mapping or if this method fails
     * @throws IOException if it cannot be mapped
     */
    static MappedPages map(MemFd of, PeerBudget.Share room) throws IOException {
        Arena arena = Arena.ofShared();
        boolean mapped = false;
        try {
            MappedPages pages = new MappedPages(arena, of.map(arena, () -> {}), room);
            mapped = true;
            return pages;
        } finally {
            if (!mapped) {
                arena.close();
                room.close();
            }
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    /**
     * Adds a view, which is first counted in the memory; null if the memory has no room for the count. Under the RNIC's
     * lock.
     */
    PeerMemory.@Nullable Sight view() {
        if (memory.byteSize() % Long.BYTES != 0) {
            return null; // No owner allocates such a size.
        }
        users.incrementAndGet();
        LentPages.addViews(memory, 1);
        return this;
    }

    @Override
    public void release() {
        LentPages.addViews(memory, -1);
        unmap();
    }

    /** Unmaps the memory once no view is left. */
    void unmap() {
        if (users.decrementAndGet() > 0) {
            return;
        }
        try {
            arena.close();
            room.close();
        } catch (IllegalStateException busy) {
            LOG.log(
                    Level.WARNING,
                    memory.byteSize() + " bytes of a peer's memory stay mapped because a running I/O call still"
                            + " uses them",
                    busy);
        }
    }
}
