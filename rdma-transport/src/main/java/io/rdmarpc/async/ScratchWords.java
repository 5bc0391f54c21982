package io.rdmarpc.async;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Where the values land that atomics find: 8 bytes for each slot of a send queue, so a slot has its word alone. */
final class ScratchWords {

    private final MemoryRegion region;
    private final long offset;

    private ScratchWords(MemoryRegion region, long offset) {
        this.region = region;
        this.offset = offset;
    }

    long address(int slot) {
        return region.address() + offset + (long) slot * Operation.ATOMIC_BYTES;
    }

    int lkey() {
        return region.lkey();
    }

    /** Returns the word of a slot. */
    MemorySegment word(int slot) {
        return region.segment()
                .asSlice(offset + (long) slot * Operation.ATOMIC_BYTES, Operation.ATOMIC_BYTES, Operation.ATOMIC_BYTES);
    }

    /** The words of all connections of a node: registered many at a time, and given to the next connection after use. */
    static final class Pool {

        private static final int CHUNK_CONNECTIONS = 64;
        private static final int PAGE = 4096;

        private final ProtectionDomain domain;
        private final Arena arena;
        private final int words;
        private final ArrayDeque<ScratchWords> free = new ArrayDeque<>();
        private final List<MemoryRegion> chunks = new ArrayList<>();

        /**
         * Describes the pool.
         *
         * @param domain registers the memory
         * @param arena owns the memory
         * @param words how many one connection gets
         */
        Pool(ProtectionDomain domain, Arena arena, int words) {
            this.domain = domain;
            this.arena = arena;
            this.words = words;
        }

        synchronized ScratchWords take() {
            if (free.isEmpty()) {
                grow();
            }
            return free.removeFirst();
        }

        private void grow() {
            long each = (long) words * Operation.ATOMIC_BYTES;
            MemorySegment memory = arena.allocate(each * CHUNK_CONNECTIONS, PAGE);
            MemoryRegion region = domain.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
            chunks.add(region);
            for (int i = 0; i < CHUNK_CONNECTIONS; i++) {
                free.addLast(new ScratchWords(region, i * each));
            }
        }

        synchronized void put(ScratchWords used) {
            free.addLast(used);
        }

        /** Deregisters all; no connection is left. */
        synchronized void close() {
            free.clear();
            chunks.forEach(MemoryRegion::close);
        }
    }
}
