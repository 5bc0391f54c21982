package io.rdmarpc.service.codec.limit;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Counts how many keys of one container have the same hash code: a hash table from hash codes to their counts. Its own places
 * follow from a random factor, so the sender of the keys cannot choose them. One thread at a time.
 */
public final class HashCollisions {

    private static final long FACTOR = ThreadLocalRandom.current().nextLong() | 1;
    private static final long COUNT_MASK = 0xFFFF_FFFFL;

    /** The hash code in the upper half, its count in the lower one; 0 where there is none. */
    private long[] table = new long[64];

    private int used;
    private int added;

    /**
     * Adds the hash code of a key.
     *
     * @return how many earlier keys have the same
     */
    int add(int hash) {
        if (2 * used >= table.length) {
            grow();
        }
        int at = find(table, hash);
        long entry = table[at];
        if (entry == 0) {
            used++;
            table[at] = (long) hash << Integer.SIZE | 1;
            return 0;
        }
        table[at] = entry + 1;
        return (int) (entry & COUNT_MASK);
    }

    /**
     * Adds a key without looking at its hash code.
     *
     * @return how many earlier keys there are
     */
    int add() {
        return added++;
    }

    private static int find(long[] table, int hash) {
        int at = (int) ((hash * FACTOR) >>> (Long.SIZE - Integer.numberOfTrailingZeros(table.length)));
        while (table[at] != 0 && (int) (table[at] >> Integer.SIZE) != hash) {
            at = (at + 1) & (table.length - 1);
        }
        return at;
    }

    private void grow() {
        long[] larger = new long[2 * table.length];
        for (long entry : table) {
            if (entry != 0) {
                larger[find(larger, (int) (entry >> Integer.SIZE))] = entry;
            }
        }
        table = larger;
    }
}
