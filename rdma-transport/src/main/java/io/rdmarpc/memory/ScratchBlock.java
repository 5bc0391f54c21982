package io.rdmarpc.memory;

import java.lang.foreign.Arena;

/**
 * Memory that no NIC knows, for a message that is written where registering would hold up others: it is copied to
 * registered memory elsewhere before it is sent. Zeroed; goes back to the system when it is freed.
 */
public final class ScratchBlock extends RegisteredBlock {

    private final Arena arena;

    private ScratchBlock(Arena arena, int capacityBytes) {
        super(arena.allocate(Math.max(1, capacityBytes), Long.BYTES), 0, 0, 0);
        this.arena = arena;
    }

    /**
     * Allocates memory; no system call of the NIC's is made.
     *
     * @param capacityBytes payload bytes it must hold
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
