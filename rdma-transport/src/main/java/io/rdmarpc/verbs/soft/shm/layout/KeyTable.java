package io.rdmarpc.verbs.soft.shm.layout;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Which of the keys that one peer was granted are valid just now, for that peer to look at. Each peer has a table of its own: it
 * learns nothing of what others were granted, and what it writes there is read by itself alone.
 *
 * <pre>
 *   byte 0                               8
 *        key u32 * 2^32 + registration   ...   u64, one for each entry; 0 when it stands for nothing
 * </pre>
 *
 * A reader looks again after it has copied: bytes that were copied while the key was valid all the time are those of the key. The
 * same key may come again by chance after a while, in the same entry. So a reader that remembers a key compares registrations, too,
 * which are counted.
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

    /** Returns what a grant says of an entry, which is not 0. */
    public static long grant(int entry, int registration) {
        return ((long) entry << HALF) | (registration & LOW_HALF);
    }

    private static long word(int key, long registration) {
        return ((long) key << HALF) | (registration & LOW_HALF);
    }

    // ---- the owner: it never reads what the peer could have written ----

    public void set(int entry, int key, int registration) {
        ShmRingLayout.LONG.setRelease(memory, (long) entry * Long.BYTES, word(key, registration));
    }

    /** Has another key stand for the same memory; the old one is invalid before that memory is written to again. */
    public void replace(int entry, int key, int registration) {
        ShmRingLayout.LONG.setVolatile(memory, (long) entry * Long.BYTES, word(key, registration));
        VarHandle.fullFence();
    }

    /** The memory is not written to by its next user before the peer can see this. */
    public void clear(int entry) {
        ShmRingLayout.LONG.setVolatile(memory, (long) entry * Long.BYTES, 0L);
        VarHandle.fullFence();
    }

    // ---- the peer ----

    /** Tells whether a key was valid, and of the registration that was granted, while what was read before now was read. */
    public boolean isValid(int key, long grant) {
        long entry = grant >>> HALF;
        if (entry >= ENTRIES || (int) grant == 0) {
            return false;
        }
        VarHandle.acquireFence();
        return (long) ShmRingLayout.LONG.getAcquire(memory, entry * Long.BYTES) == word(key, grant);
    }
}
