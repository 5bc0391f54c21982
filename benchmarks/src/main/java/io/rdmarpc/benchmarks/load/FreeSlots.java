package io.rdmarpc.benchmarks.load;

import java.util.concurrent.atomic.AtomicLongArray;

/** Which slots have no call: one bit each. One thread takes, any thread gives back. */
final class FreeSlots {

    private final AtomicLongArray words;
    private final int count;

    FreeSlots(int count) {
        this.count = count;
        this.words = new AtomicLongArray((count + Long.SIZE - 1) / Long.SIZE);
        for (int slot = 0; slot < count; slot++) {
            give(slot);
        }
    }

    void give(int slot) {
        words.getAndAccumulate(slot / Long.SIZE, 1L << slot, (free, bit) -> free | bit);
    }

    void take(int slot) {
        words.getAndAccumulate(slot / Long.SIZE, ~(1L << slot), (free, others) -> free & others);
    }

    /** Returns a slot, or -1 if all have calls. */
    int take() {
        for (int i = 0; i < words.length(); i++) {
            long free = words.get(i);
            if (free != 0) {
                int slot = i * Long.SIZE + Long.numberOfTrailingZeros(free);
                take(slot);
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
