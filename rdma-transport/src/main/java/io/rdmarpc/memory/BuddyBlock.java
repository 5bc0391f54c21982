package io.rdmarpc.memory;

/** A block of a {@link BuddyArena}. Each allocation creates a new object, so that freeing a stale block is detected. */
final class BuddyBlock extends RegisteredBlock {

    private final BuddyChunk chunk;
    private final int offset;

    BuddyBlock(BuddyChunk chunk, int offset) {
        RegisteredMemory memory = chunk.memory();
        super(memory.segment().asSlice(offset, chunk.allocator().blockBytes(offset)), 0, memory.lkey(), memory.rkey());
        this.chunk = chunk;
        this.offset = offset;
        handOut();
    }

    @Override
    void reclaim() {
        chunk.arena().free(chunk, offset);
    }
}
