package io.rdmarpc.service.codec.limit;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Counts equal hash codes of the keys of one container, in a hash table from hash codes to counts. The positions in
 * this table depend on a random factor, so a sender cannot choose keys that collide here. Used by one thread at a
 * time.
 */
public final class HashCollisions {

    private static final long FACTOR = ThreadLocalRandom.current().nextLong() | 1;
    private static final long COUNT_MASK = 0xFFFF_FFFFL;

    /** The hash code in the upper half and its count in the lower half; 0 for a free position. */
    private long[] table = new long[64];

    private int used;
    private int added;

    /**
     * Adds the hash code of a key.
     *
     * @return the number of earlier keys with the same hash code
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
     * Adds a key without its hash code.
     *
     * @return the number of earlier keys
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
