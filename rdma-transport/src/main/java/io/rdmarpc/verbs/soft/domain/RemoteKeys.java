package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.soft.rnic.RandomNumbers;
import org.jspecify.annotations.Nullable;

/**
 * Memory regions by the keys that peers use. A key is 32 random bits and independent of its region, so that a peer
 * cannot guess a key from those that it has.
 *
 * <p>A bucket has room for eight keys, and the upper bits of a key select the bucket. A look-up compares eight numbers
 * and allocates nothing. If the bucket of a new key is full, another key is drawn. A table that is half full doubles
 * its number of buckets, and the keys of each bucket are split between two.
 *
 * <p>Invalidated keys stay here for a while without a region, so that a peer with an old key does not reach another
 * region. Guarded by the RNIC's lock.
 */
public final class RemoteKeys {

    /** Number of invalidated keys that are not drawn again. */
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

    /** Returns the region of a key, or null. */
    @Nullable
    SoftMemoryRegion find(int key) {
        int index = indexOf(key);
        return index < 0 ? null : regions[index];
    }

    /**
     * Draws a key that is not in use and was not invalidated recently.
     *
     * @param other a number from which the key has to differ
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

    /** Assigns a key that was just drawn to a region. */
    void put(int key, SoftMemoryRegion region) {
        int index = freeIndex(keys, key);
        keys[index] = key;
        regions[index] = region;
        used++;
    }

    /** Invalidates a key. The key that was invalidated first may be drawn again. */
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

    /** Returns the index of a key, which may be invalid, or -1. */
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
