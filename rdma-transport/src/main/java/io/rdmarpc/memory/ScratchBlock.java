package io.rdmarpc.memory;

import java.lang.foreign.Arena;

/**
 * Memory that is not registered with any NIC. A message is written to it if registration would delay other threads, and
 * is copied to registered memory before it is sent. Zeroed; returned to the operating system when it is freed.
 */
public final class ScratchBlock extends RegisteredBlock {

    private final Arena arena;

    private ScratchBlock(Arena arena, int capacityBytes) {
        super(arena.allocate(Math.max(1, capacityBytes), Long.BYTES), 0, 0, 0);
        this.arena = arena;
    }

    /**
     * Allocates memory without registering it.
     *
     * @param capacityBytes capacity in bytes
     * @return a block, freed by the caller
     */
    public static RegisteredBlock of(int capacityBytes) {
        ScratchBlock block = new ScratchBlock(Arena.ofShared(), capacityBytes);
        block.handOut();
        return block;
    }

    @Override
    void reclaim() {
        arena.close();
    }
}
