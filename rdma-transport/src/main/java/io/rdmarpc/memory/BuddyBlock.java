package io.rdmarpc.memory;

/** A block of a {@link BuddyArena}: a new object per allocation, so that freeing a stale one is noticed. */
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
