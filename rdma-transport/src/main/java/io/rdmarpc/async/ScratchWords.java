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

/** Local buffers for the original values of atomics: 8 bytes for each slot of a send queue. */
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

    /**
     * The scratch words of all connections of a node. They are registered in chunks and reused by later connections.
     */
    static final class Pool {

        private static final int CHUNK_CONNECTIONS = 64;
        private static final int PAGE = 4096;

        private final ProtectionDomain domain;
        private final Arena arena;
        private final int words;
        private final ArrayDeque<ScratchWords> free = new ArrayDeque<>();
        private final List<MemoryRegion> chunks = new ArrayList<>();

        /**
         * Creates an empty pool.
         *
         * @param domain the protection domain that registers the memory
         * @param arena the owner of the memory
         * @param words the number of words of one connection
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

        /** Deregisters all memory after all connections have ended. */
        synchronized void close() {
            free.clear();
            chunks.forEach(MemoryRegion::close);
        }
    }
}
