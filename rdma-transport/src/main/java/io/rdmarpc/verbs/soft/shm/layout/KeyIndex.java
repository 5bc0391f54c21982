package io.rdmarpc.verbs.soft.shm.layout;

/**
 * Finds the entry of a {@link KeyTable} by its key. It is a hash table with open addressing and linear probing, at most
 * half full. A look-up allocates nothing. Keys are not 0.
 */
public final class KeyIndex {

    private static final int NONE = 0;
    private static final int SLOTS = 2 * KeyTable.ENTRIES;
    private static final int SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS);

    private final int[] keys = new int[SLOTS];
    private final int[] entries = new int[SLOTS];

    /** Returns the entry of a key, or -1. */
    public int find(int key) {
        int slot = slotOf(key);
        return keys[slot] == NONE ? -1 : entries[slot];
    }

    /** Adds a key, or changes the entry of a key. */
    public void put(int key, int entry) {
        int slot = slotOf(key);
        keys[slot] = key;
        entries[slot] = entry;
    }

    /** Removes a key, and returns its entry, or -1 if it was not there. */
    public int remove(int key) {
        int slot = slotOf(key);
        if (keys[slot] == NONE) {
            return -1;
        }
        int entry = entries[slot];
        closeGap(slot);
        return entry;
    }

    /** Removes a key and moves back the keys that follow it in the same probe sequence. */
    private void closeGap(int removed) {
        int gap = removed;
        for (int slot = next(gap); keys[slot] != NONE; slot = next(slot)) {
            int home = homeOf(keys[slot]);
            if (distance(home, slot) >= distance(gap, slot)) {
                keys[gap] = keys[slot];
                entries[gap] = entries[slot];
                gap = slot;
            }
        }
        keys[gap] = NONE;
    }

    /** Returns the slot of a key, or the free slot for it. */
    private int slotOf(int key) {
        int slot = homeOf(key);
        while (keys[slot] != NONE && keys[slot] != key) {
            slot = next(slot);
        }
        return slot;
    }

    /** Returns the first slot to probe. Keys are random, so their upper bits need no mixing. */
    private static int homeOf(int key) {
        return key >>> SHIFT;
    }

    private static int next(int slot) {
        return (slot + 1) & (SLOTS - 1);
    }

    private static int distance(int from, int to) {
        return (to - from) & (SLOTS - 1);
    }
}
