package io.rdmarpc.benchmarks.load;

import java.util.concurrent.atomic.AtomicLongArray;

/** The set of slots without a call, one bit each. One thread acquires slots; any thread releases them. */
final class FreeSlots {

    private final AtomicLongArray words;
    private final int count;

    FreeSlots(int count) {
        this.count = count;
        this.words = new AtomicLongArray((count + Long.SIZE - 1) / Long.SIZE);
        for (int slot = 0; slot < count; slot++) {
            release(slot);
        }
    }

    void release(int slot) {
        words.getAndAccumulate(slot / Long.SIZE, 1L << slot, (free, bit) -> free | bit);
    }

    void acquire(int slot) {
        words.getAndAccumulate(slot / Long.SIZE, ~(1L << slot), (free, others) -> free & others);
    }

    /** Acquires a slot, or returns -1 if all slots have calls. */
    int acquire() {
        for (int i = 0; i < words.length(); i++) {
            long free = words.get(i);
            if (free != 0) {
                int slot = i * Long.SIZE + Long.numberOfTrailingZeros(free);
                acquire(slot);
                return slot;
            }
        }
        return -1;
    }

    boolean areAllFree() {
        int free = 0;
        for (int i = 0; i < words.length(); i++) {
            free += Long.bitCount(words.get(i));
        }
        return free == count;
    }
}
