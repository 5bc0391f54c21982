package io.rdmarpc.verbs.soft.rc;

import java.util.Arrays;

/**
 * The last atomics that were carried out, so that a repeated request gets the value found then and nothing is done twice
 * (InfiniBand Architecture Specification vol. 1, 9.4.5 and 9.7.5.1.2). As many as the peer may have outstanding.
 */
final class AtomicReplays {

    private static final int NONE = -1;

    private int[] psns = new int[0];
    private long[] values = new long[0];
    private int next;

    /** Forgets everything and makes room. */
    void reset(int capacity) {
        psns = new int[capacity];
        values = new long[capacity];
        clear();
    }

    void clear() {
        Arrays.fill(psns, NONE);
        next = 0;
    }

    void add(int psn, long found) {
        psns[next] = psn;
        values[next] = found;
        next = (next + 1) % psns.length;
    }

    /** Finds the atomic of a PSN; negative when it is not among the last ones. */
    int find(int psn) {
        for (int i = 0; i < psns.length; i++) {
            if (psns[i] == psn) {
                return i;
            }
        }
        return NONE;
    }

    /** Returns the value that a {@linkplain #find found} atomic found. */
    long value(int index) {
        return values[index];
    }
}
