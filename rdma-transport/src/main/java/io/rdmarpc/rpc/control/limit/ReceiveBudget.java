package io.rdmarpc.rpc.control.limit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many sessions a receive ring carries: each owns one entry for good, so that none can be starved. What is left is
 * lent by the engine to those that are busy. Any thread.
 */
public final class ReceiveBudget {

    /** Room for repeated packets and hints, which are not counted. */
    public static final int SPARE = 8;

    /** Entries of the ring that a session owns. */
    private static final int OWNED = 1;

    private final int limit;
    private final AtomicInteger reserved = new AtomicInteger();

    public ReceiveBudget(int receiveDepth) {
        this.limit = receiveDepth - SPARE;
    }

    /** Reserves what a session with such a window owns; false when there is no room for it. */
    public boolean reserve(int window) {
        int now = reserved.addAndGet(owned(window));
        if (now <= limit) {
            return true;
        }
        reserved.addAndGet(-owned(window));
        return false;
    }

    /** A session is gone; one that never was has window 0. */
    public void release(int window) {
        reserved.addAndGet(-owned(window));
    }

    private static int owned(int window) {
        return Math.min(OWNED, window);
    }

    public int reserved() {
        return reserved.get();
    }

    public boolean isFull() {
        return reserved.get() + OWNED > limit;
    }

    /** Entries that sessions may own. */
    int limit() {
        return limit;
    }

    /** Why there is no room. */
    public String describe() {
        return "each session owns an entry, and " + reserved.get() + " of " + limit + " are owned";
    }
}
