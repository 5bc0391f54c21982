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
 * A piece of a peer's memory, mapped until the peer has freed it or gone and nobody sees it in place any more. How many do is in
 * the last eight bytes of the piece, where its owner finds it.
 */
final class MappedPages implements PeerMemory.Sight {

    private static final System.Logger LOG = System.getLogger(MappedPages.class.getName());

    private final Arena arena;
    private final MemorySegment memory;
    private final PeerBudget.Share room;

    /** The mapping's owner, and all who see it. */
    private final AtomicInteger users = new AtomicInteger(1);

    private MappedPages(Arena arena, MemorySegment memory, PeerBudget.Share room) {
        this.arena = arena;
        this.memory = memory;
        this.room = room;
    }

    /**
     * Maps memory.
     *
     * @param room what it takes of the budget, given back with the mapping's end or when this fails
     * @throws IOException when it cannot be mapped
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

    /** Tells the owner first; null when there is no room for that. Under the RNIC's lock. */
    PeerMemory.@Nullable Sight see() {
        if (memory.byteSize() % Long.BYTES != 0) {
            return null; // Not as an owner makes them.
        }
        users.incrementAndGet();
        LentPages.addSights(memory, 1);
        return this;
    }

    @Override
    public void release() {
        LentPages.addSights(memory, -1);
        unmap();
    }

    /** Ends the mapping, once nobody sees it. */
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
                    memory.byteSize() + " bytes of a peer stay mapped: a running I/O call still uses them",
                    busy);
        }
    }
}
