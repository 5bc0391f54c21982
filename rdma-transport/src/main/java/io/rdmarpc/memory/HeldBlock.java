package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;

/**
 * Memory of a message that was received, for a {@link MessageBuffer} to be read from. It is not the NIC's to send: a handle
 * that is sent on is copied to registered memory first.
 */
final class HeldBlock extends RegisteredBlock {

    private final Runnable letGo;

    private HeldBlock(MemorySegment received, Runnable letGo) {
        super(received, 0, 0, 0);
        this.letGo = letGo;
    }

    /** Takes the memory over; {@code letGo} runs once, when the owner is done. */
    static RegisteredBlock of(MemorySegment received, Runnable letGo) {
        HeldBlock block = new HeldBlock(received, letGo);
        block.handOut();
        return block;
    }

    @Override
    void reclaim() {
        letGo.run();
    }
}
