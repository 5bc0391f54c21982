package io.rdmarpc.verbs.soft.rc;

import java.util.Arrays;

/**
 * The last executed atomics. A duplicate request gets the original value again and is not executed twice (InfiniBand
 * Architecture Specification vol. 1, 9.4.5 and 9.7.5.1.2). The capacity is the number that the peer may have
 * outstanding.
 */
final class AtomicReplays {

    private static final int NONE = -1;

    private int[] psns = new int[0];
    private long[] values = new long[0];
    private int next;

    /** Discards all entries and sets the capacity. */
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

    /** Returns the index of the atomic with a PSN; negative if it is not among the last ones. */
    int find(int psn) {
        for (int i = 0; i < psns.length; i++) {
            if (psns[i] == psn) {
                return i;
            }
        }
        return NONE;
    }

    /** Returns the original value of an atomic, given the index from {@link #find}. */
    long value(int index) {
        return values[index];
    }
}
