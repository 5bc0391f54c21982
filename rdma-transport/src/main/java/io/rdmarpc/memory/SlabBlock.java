package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;

/** A block of a {@link SlabPool}. It is created once with its slab and handed out many times. */
final class SlabBlock extends RegisteredBlock {

    private final SlabPool pool;
    private final int index;

    /**
     * The link of the pool's free list. A plain field: a value read during another thread's write is never used,
     * because the change count in the list's head differs by then.
     */
    private int nextFree;

    SlabBlock(SlabPool pool, int index, RegisteredMemory slab, MemorySegment memory) {
        super(memory, HEADROOM_BYTES, slab.lkey(), slab.rkey());
        this.pool = pool;
        this.index = index;
    }

    SlabPool pool() {
        return pool;
    }

    int index() {
        return index;
    }

    int nextFree() {
        return nextFree;
    }

    void nextFree(int nextIndex) {
        nextFree = nextIndex;
    }

    @Override
    void reclaim() {
        pool.push(this, this);
    }
}
