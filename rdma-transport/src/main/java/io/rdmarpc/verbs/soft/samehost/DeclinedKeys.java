package io.rdmarpc.verbs.soft.samehost;

import org.jspecify.annotations.Nullable;

/**
 * Keys that the peer of this queue pair was asked to grant and did not: their memory cannot be mapped, so it is not asked again. What
 * finds no room replaces another, which is asked for once more then.
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
