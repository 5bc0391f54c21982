package io.rdmarpc.verbs.soft.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Which keys to memory are valid just now, for peers to look at.
 *
 * <pre>
 *   byte 0           4           8
 *        key u32     key u32     ...   one for each slot: the upper half of a key; 0 when its memory may not be read
 * </pre>
 *
 * Who copies looks again afterwards: bytes that were copied while the key was valid all the time are what was asked for.
 */
final class KeyTable {

    static final int SLOTS = 1 << 16;
    static final int BYTES = SLOTS * Integer.BYTES;

    private final MemorySegment memory;

    KeyTable(MemorySegment memory) {
        this.memory = memory;
    }

    private static long at(int key) {
        return (key >>> 16) * (long) Integer.BYTES;
    }

    void publish(int key) {
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
}
