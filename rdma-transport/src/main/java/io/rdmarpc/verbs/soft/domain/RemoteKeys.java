package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.soft.rnic.RandomNumbers;
import org.jspecify.annotations.Nullable;

/**
 * Memory regions by the keys that peers use. A key is 32 random bits and says nothing about its region, so that a peer learns no
 * key from those it has.
 *
 * <p>A bucket has room for eight keys, and the upper bits of a key select it: a look-up compares eight numbers, allocates nothing
 * and meets no longer chain. A key whose bucket is full is not drawn. A table that is half full gets twice as many buckets, and
 * the keys of one bucket fall into two then.
 *
 * <p>Keys that have ended stay here for a while without a region, so that a peer that still knows one does not meet another
 * region there. Under the RNIC's lock.
 */
public final class RemoteKeys {

    /** How many keys that have ended are kept out of use. */
    public static final int ENDED_KEYS = 1024;

    static final int BUCKET_KEYS = 8;

    private static final int NONE = 0;
    private static final int FIRST_BUCKET_BITS = 5;

    private final RandomNumbers random;
    private int bucketBits = FIRST_BUCKET_BITS;
    private int[] keys = new int[BUCKET_KEYS << FIRST_BUCKET_BITS];
    private @Nullable SoftMemoryRegion[] regions = new SoftMemoryRegion[keys.length];
    private int used;
    private final int[] ended = new int[ENDED_KEYS];
    private int nextEnded;

    RemoteKeys(RandomNumbers random) {
        this.random = random;
    }

    /** Returns the region that has a key, or null. */
    @Nullable
    SoftMemoryRegion find(int key) {
        int index = indexOf(key);
        return index < 0 ? null : regions[index];
    }

    /**
     * Draws a key that nothing has or had lately.
     *
     * @param other a number that the key is not
     */
    int draw(int other) {
        if (2 * used >= keys.length) {
            grow();
        }
        while (true) {
            int key = random.next();
            if (key != NONE && key != other && indexOf(key) < 0 && freeIndex(keys, key) >= 0) {
                return key;
            }
        }
    }

    /** Has a key that was just drawn stand for a region. */
    void put(int key, SoftMemoryRegion region) {
        int index = freeIndex(keys, key);
        keys[index] = key;
        regions[index] = region;
        used++;
    }

    /** Ends a key. The one that has ended the longest ago may be drawn again. */
    void end(int key) {
        regions[indexOf(key)] = null;
        int oldest = ended[nextEnded];
        if (oldest != NONE) {
            keys[indexOf(oldest)] = NONE;
            used--;
        }
        ended[nextEnded] = key;
        nextEnded = (nextEnded + 1) % ENDED_KEYS;
    }

    /** Returns where a key is, also one that has ended, or -1. */
    private int indexOf(int key) {
        int first = bucketOf(key);
        for (int i = first; i < first + BUCKET_KEYS; i++) {
            if (keys[i] == key) {
                return i;
            }
        }
        return -1;
    }

    private int freeIndex(int[] of, int key) {
        int first = bucketOf(key);
        for (int i = first; i < first + BUCKET_KEYS; i++) {
            if (of[i] == NONE) {
                return i;
            }
        }
        return -1;
    }

    private int bucketOf(int key) {
        return (key >>> (Integer.SIZE - bucketBits)) * BUCKET_KEYS;
    }

    private void grow() {
        int[] oldKeys = keys;
        @Nullable SoftMemoryRegion[] oldRegions = regions;
        int[] moved = new int[2 * oldKeys.length];
        regions = new SoftMemoryRegion[moved.length];
        bucketBits++;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != NONE) {
                int index = freeIndex(moved, oldKeys[i]);
                moved[index] = oldKeys[i];
                regions[index] = oldRegions[i];
            }
        }
        keys = moved;
    }
}
