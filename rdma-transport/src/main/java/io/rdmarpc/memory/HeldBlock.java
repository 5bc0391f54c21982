package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;

/**
 * Memory of a received message, which a {@link MessageBuffer} reads in place. The NIC cannot send from it: a message
 * that the receiver sends again is first copied to registered memory.
 */
final class HeldBlock extends RegisteredBlock {

    private final Runnable release;

    private HeldBlock(MemorySegment received, Runnable release) {
        super(received, 0, 0, 0);
        this.release = release;
    }

    /** Wraps received memory. {@code release} runs once, when the owner frees the block. */
    static RegisteredBlock of(MemorySegment received, Runnable release) {
        HeldBlock block = new HeldBlock(received, release);
        block.handOut();
        return block;
    }

    @Override
    void reclaim() {
        release.run();
    }
}
