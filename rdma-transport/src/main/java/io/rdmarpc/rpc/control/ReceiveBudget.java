package io.rdmarpc.rpc.control;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many sessions a receive ring carries: each owns one entry for good, so that none can be starved. What is left is
 * lent by the engine to those that are busy. Any thread.
 */
final class ReceiveBudget {

    /** Room for repeated packets and hints, which are not counted. */
    static final int SPARE = 8;

    /** Entries of the ring that a session owns. */
    private static final int OWNED = 1;

    private final int limit;
    private final AtomicInteger reserved = new AtomicInteger();

    ReceiveBudget(int receiveDepth) {
        this.limit = receiveDepth - SPARE;
    }

    /** Reserves what a session with such a window owns; false when there is no room for it. */
    boolean reserve(int window) {
        int now = reserved.addAndGet(owned(window));
        if (now <= limit) {
            return true;
        }
        reserved.addAndGet(-owned(window));
        return false;
    }

    /** A session is gone; one that never was has window 0. */
    void release(int window) {
        reserved.addAndGet(-owned(window));
    }

    private static int owned(int window) {
        return Math.min(OWNED, window);
    }

    int reserved() {
        return reserved.get();
    }

    boolean isFull() {
        return reserved.get() + OWNED > limit;
    }

    /** Entries that sessions may own. */
    int limit() {
        return limit;
    }

    /** Why there is no room. */
    String inWords() {
        return "each session owns an entry, and " + reserved.get() + " of " + limit + " are owned";
    }
}
