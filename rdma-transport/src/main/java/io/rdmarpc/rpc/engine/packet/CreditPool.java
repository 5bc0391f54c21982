package io.rdmarpc.rpc.engine.packet;

import java.util.ArrayDeque;

/**
 * Manages the entries of a receive ring as credits. Every session owns one credit. Busy sessions and streams borrow the
 * others. The number of granted credits never exceeds the ring. A peer that sends only with credits therefore loses no
 * packet for lack of a receive.
 *
 * <pre>
 *   ring = spare (control packets and retransmissions) + one per session + borrowed + free
 * </pre>
 *
 * Engine thread only.
 */
public final class CreditPool {

    /** Number of entries for retransmissions and control packets, which use no credits. */
    private static final int SPARE = 8;
    /**
     * Number of packets to expect in one duty cycle in addition to the granted credits. It covers credits that are lent
     * and used within the cycle, and packets without credits.
     */
    private static final int PER_CYCLE = 64;
    /** Number of duty cycles for which a shortage is remembered after a request got fewer credits than it wanted. */
    private static final int SHORTAGE_CYCLES = 64;

    /** A stream holds at most one in this many of the free entries, so that entries remain for the next stream. */
    private static final int STREAM_PART = 16;

    private final int ring;
    private final ArrayDeque<CreditWaiter> waiting = new ArrayDeque<>();
    private int sessions;
    private int borrowed;
    private int shortage;

    public CreditPool(int ring) {
        this.ring = ring;
    }

    public void join() {
        sessions++;
    }

    public void leave() {
        sessions--;
    }

    public int free() {
        return Math.max(0, available());
    }

    private int available() {
        return ring - SPARE - sessions - borrowed;
    }

    public int borrowed() {
        return borrowed;
    }

    /**
     * Returns how many packets may arrive before the pool can grant more credits, plus an allowance for one duty cycle.
     */
    public int expected() {
        return sessions + borrowed + PER_CYCLE;
    }

    /** Borrows up to that many credits; returns how many it got. */
    public int take(int requested) {
        int got = Math.min(requested, free());
        borrowed += got;
        if (got < requested) {
            shortage = SHORTAGE_CYCLES;
        }
        return got;
    }

    public void giveBack(int count) {
        borrowed -= count;
    }

    /**
     * Returns whether credits are short: a recent request got fewer than it wanted, or a session has joined while all
     * were lent. In the second case the session's own entry is one of the spare ones until credits are returned.
     */
    public boolean isShort() {
        return shortage > 0 || available() < 0;
    }

    public void onCycle() {
        if (shortage > 0) {
            shortage--;
        }
    }

    /** Returns how many entries a stream that holds {@code held} may hold now. */
    public int maxForStream(int held) {
        return Math.max(1, (free() + held) / STREAM_PART);
    }

    public boolean hasWaiters() {
        return !waiting.isEmpty();
    }

    /** Queues a waiter for credits of this end. */
    public void await(CreditWaiter waiter) {
        if (!waiter.isQueuedForCredit()) {
            waiter.queuedForCredit(true);
            waiting.addLast(waiter);
        }
    }

    /** Serves the longest-waiting waiters while there are credits; returns how many it served. */
    public int serveWaiting(long nowNanos) {
        int served = 0;
        while (!waiting.isEmpty() && free() > 0) {
            CreditWaiter waiter = waiting.removeFirst();
            waiter.queuedForCredit(false);
            waiter.onCredit(nowNanos);
            served++;
        }
        return served;
    }
}
