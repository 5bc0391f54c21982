package io.rdmarpc.verbs.soft.shm.layout;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The keys granted to one peer that are currently valid. The peer reads the table. Each peer has a separate table, so
 * that it does not see the grants of others, and can corrupt only its own table.
 *
 * <pre>
 *   byte 0                               8
 *        key u32 * 2^32 + registration   ...   u64, one for each entry; 0 if the entry is free
 * </pre>
 *
 * A reader checks the entry again after it has copied: if the key was valid all the time, the copied bytes belong to
 * it. The same key may be drawn again later and may get the same entry. So a reader that remembers a key also compares
 * registrations, which are counted.
 */
public final class KeyTable {

    public static final int ENTRIES = 1 << 13;
    public static final int BYTES = ENTRIES * Long.BYTES;

    private static final int HALF = 32;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final MemorySegment memory;

    public KeyTable(MemorySegment memory) {
        this.memory = memory;
    }

    /** Returns the value of a grant: an entry with its registration. It is never 0. */
    public static long grant(int entry, int registration) {
        return ((long) entry << HALF) | (registration & LOW_HALF);
    }

    private static long word(int key, long registration) {
        return ((long) key << HALF) | (registration & LOW_HALF);
    }

    // ---- the owner, which never reads the table because the peer can write to it ----

    public void set(int entry, int key, int registration) {
        ShmRingLayout.LONG.setRelease(memory, (long) entry * Long.BYTES, word(key, registration));
    }

    /** Replaces the key of the same memory; the old key is invalid before that memory is written again. */
    public void replace(int entry, int key, int registration) {
        ShmRingLayout.LONG.setVolatile(memory, (long) entry * Long.BYTES, word(key, registration));
        VarHandle.fullFence();
    }

    /** Clears an entry, which is visible to the peer before the next user writes to the memory. */
    public void clear(int entry) {
        ShmRingLayout.LONG.setVolatile(memory, (long) entry * Long.BYTES, 0L);
        VarHandle.fullFence();
    }

    // ---- the peer ----

    /** Returns whether a key was valid, with the granted registration, during all reads before this call. */
    public boolean isValid(int key, long grant) {
        long entry = grant >>> HALF;
        if (entry >= ENTRIES || (int) grant == 0) {
            return false;
        }
        VarHandle.acquireFence();
        return (long) ShmRingLayout.LONG.getAcquire(memory, entry * Long.BYTES) == word(key, grant);
    }
}
