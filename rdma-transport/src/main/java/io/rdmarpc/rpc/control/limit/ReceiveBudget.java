package io.rdmarpc.rpc.control.limit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the sessions of a receive ring. Each session owns one entry permanently, so that no session starves. The
 * engine assigns the other entries to busy sessions. Thread-safe.
 */
public final class ReceiveBudget {

    /** Spare entries for retransmitted packets and control packets, which are not counted. */
    public static final int SPARE = 8;

    /** Entries of the ring that a session owns. */
    private static final int OWNED = 1;

    private final int limit;
    private final AtomicInteger reserved = new AtomicInteger();

    public ReceiveBudget(int receiveDepth) {
        this.limit = receiveDepth - SPARE;
    }

    /** Reserves the entry of a session with this window. Returns false if no entry is free. */
    public boolean reserve(int window) {
        int now = reserved.addAndGet(owned(window));
        if (now <= limit) {
            return true;
        }
        reserved.addAndGet(-owned(window));
        return false;
    }

    /** Releases the entry of a session. A session without a reservation has window 0. */
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

    /** Returns the number of entries that sessions may own. */
    int limit() {
        return limit;
    }

    /** Describes the use of the ring, for messages. */
    public String describe() {
        return "each session owns an entry, and " + reserved.get() + " of " + limit + " are owned";
    }
}
