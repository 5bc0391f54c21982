package io.rdmarpc.memory;

import org.jspecify.annotations.Nullable;

/** One registered chunk of a {@link BuddyArena}, with the allocator that divides it. */
record BuddyChunk(BuddyArena arena, RegisteredMemory memory, BuddyAllocator allocator) {

    BuddyChunk(BuddyArena arena, RegisteredMemory memory, int minBlockBytes) {
        this(arena, memory, new BuddyAllocator((int) memory.byteSize(), minBlockBytes));
    }

    long byteSize() {
        return memory.byteSize();
    }

    /** Takes a block of at least that many bytes, or returns null. The caller holds the arena's lock. */
    @Nullable
    BuddyBlock tryTake(int bytes) {
        int offset = allocator.allocate(bytes);
        return offset == BuddyAllocator.NONE ? null : new BuddyBlock(this, offset);
    }
}
