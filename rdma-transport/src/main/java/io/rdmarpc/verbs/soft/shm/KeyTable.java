package io.rdmarpc.verbs.soft.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Which keys to memory are valid just now, for peers to look at.
 *
 * <pre>
 *   byte 0         4                8
 *        key u32   registration u32   ...   one for each slot: the upper half of a key; a key of 0 when its memory may not be read
 * </pre>
 *
 * Who copies looks again afterwards: bytes that were copied while the key was valid all the time are what was asked for. The
 * lower half of a key may come again by chance after a while; who remembers what a key stood for compares registrations, too,
 * which are counted.
 */
final class KeyTable {

    static final int SLOTS = 1 << 16;

    private static final int SLOT_BYTES = 2 * Integer.BYTES;
    static final int BYTES = SLOTS * SLOT_BYTES;

    private final MemorySegment memory;
    private int registrations;

    KeyTable(MemorySegment memory) {
        this.memory = memory;
    }

    private static long at(int key) {
        return (key >>> 16) * (long) SLOT_BYTES;
    }

    void publish(int key) {
        registrations = registrations == -1 ? 1 : registrations + 1;
        RingLayout.INT.set(memory, at(key) + Integer.BYTES, registrations);
        RingLayout.INT.setRelease(memory, at(key), key);
    }

    /** The memory is not written to by its next user before all peers can see this. */
    void revoke(int key) {
        RingLayout.INT.setVolatile(memory, at(key), 0);
        VarHandle.fullFence();
    }

    /** Tells whether a key was valid while what was read before now was read. */
    boolean isValid(int key) {
        VarHandle.acquireFence();
        return (int) RingLayout.INT.getAcquire(memory, at(key)) == key;
    }

    /** Returns which registration a key is of, 0 when it is not valid. As {@link #isValid}, and for the same key of it. */
    int registration(int key) {
        VarHandle.acquireFence();
        int valid = (int) RingLayout.INT.getAcquire(memory, at(key));
        return valid == key ? (int) RingLayout.INT.getAcquire(memory, at(key) + Integer.BYTES) : 0;
    }
}
