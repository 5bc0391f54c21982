package io.rdmarpc.rpc.engine.packet;

import java.util.ArrayDeque;

/**
 * The entries of a receive ring as credits: every session owns one, the others are borrowed by those that are busy and by
 * streams. What is given out never exceeds the ring, so peers that keep to their credits lose no packet for want of a
 * receive.
 *
 * <pre>
 *   ring = spare (hints and repeated packets) + one per session + borrowed + free
 * </pre>
 *
 * Engine thread only.
 */
public final class CreditPool {

    /** Room for repeated packets and hints, which are not counted. */
    private static final int SPARE = 8;
    /** Credits that are lent in one turn and may be used before the next one, and uncounted packets. */
    private static final int PER_CYCLE = 64;
    /** Turns that a shortage is remembered after a session went away empty-handed. */
    private static final int SHORTAGE_TURNS = 64;

    /** A stream holds at most this part of what is free, so that there is some for the next one. */
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
        return Math.max(0, unlent());
    }

    private int unlent() {
        return ring - SPARE - sessions - borrowed;
    }

    public int borrowed() {
        return borrowed;
    }

    /** Packets that may come before anybody can be given more credits, and what is lent in one turn. */
    public int expected() {
        return sessions + borrowed + PER_CYCLE;
    }

    /** Borrows up to so many; returns how many it got. */
    public int take(int wanted) {
        int got = Math.min(wanted, free());
        borrowed += got;
        if (got < wanted) {
            shortage = SHORTAGE_TURNS;
        }
        return got;
    }

    public void giveBack(int count) {
        borrowed -= count;
    }

    /**
     * Tells whether somebody wanted more than there was, a short while ago, or a session has joined while all was lent: its
     * own entry is one of the spare ones until something comes back.
     */
    public boolean isShort() {
        return shortage > 0 || unlent() < 0;
    }

    public void onCycle() {
        if (shortage > 0) {
            shortage--;
        }
    }

    /** How many entries a stream that holds some may hold now. */
    public int mostForStream(int held) {
        return Math.max(1, (free() + held) / STREAM_PART);
    }

    public boolean isWaitedFor() {
        return !waiting.isEmpty();
    }

    /** Somebody waits for credits of this end. */
    public void await(CreditWaiter waiter) {
        if (!waiter.isQueuedForCredit()) {
            waiter.queuedForCredit(true);
            waiting.addLast(waiter);
        }
    }

    /** Lets those that have waited longest go on while there are credits; returns how many did. */
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
