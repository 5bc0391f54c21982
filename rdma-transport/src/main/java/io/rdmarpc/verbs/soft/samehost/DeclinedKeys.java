package io.rdmarpc.verbs.soft.samehost;

import org.jspecify.annotations.Nullable;

/**
 * Keys that the peer of this queue pair declined to grant. Their memory cannot be mapped, so this side does not request
 * it again. A new key may replace another one in the table, which is then requested once more.
 */
final class DeclinedKeys {

    static final int SIZE = 64;

    private int @Nullable [] keys;

    void add(int key) {
        if (keys == null) {
            keys = new int[SIZE];
        }
        keys[key & SIZE - 1] = key;
    }

    boolean contains(int key) {
        return keys != null && keys[key & SIZE - 1] == key;
    }

    void clear() {
        keys = null;
    }
}
