package io.rdmarpc.rpc.engine;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a receive ring as credits: every session owns one, the others are borrowed by those that are busy. What
 * is given out never exceeds the ring, so peers that keep to their credits lose no packet for want of a receive.
 *
 * <pre>
 *   ring = spare (hints and repeated packets) + one per session + borrowed + free
 * </pre>
 *
 * Engine thread only.
 */
final class CreditPool {

    /** Room for repeated packets and hints, which are not counted. */
    private static final int SPARE = 8;
    /** Turns that a shortage is remembered after a session went away empty-handed. */
    private static final int SHORTAGE_TURNS = 64;

    private final int ring;
    private final ArrayDeque<ClientSession> waiting = new ArrayDeque<>();
    private int sessions;
    private int borrowed;
    private int shortage;

    CreditPool(int ring) {
        this.ring = ring;
    }

    void join() {
        sessions++;
    }

    void leave() {
        sessions--;
    }

    int free() {
        return Math.max(0, ring - SPARE - sessions - borrowed);
    }

    int borrowed() {
        return borrowed;
    }

    /** Borrows up to so many; returns how many it got. */
    int take(int wanted) {
        int got = Math.min(wanted, free());
        borrowed += got;
        if (got < wanted) {
            shortage = SHORTAGE_TURNS;
        }
        return got;
    }

    void giveBack(int count) {
        borrowed -= count;
    }

    /** Tells whether somebody wanted more than there was, a short while ago. */
    boolean isShort() {
        return shortage > 0;
    }

    void onTurn() {
        if (shortage > 0) {
            shortage--;
        }
    }

    /** A session's next call waits for a credit of this end. */
    void await(ClientSession session) {
        if (!session.waitsForCredit) {
            session.waitsForCredit = true;
            waiting.addLast(session);
        }
    }

    /** The session that has waited longest, when there is a credit for it. */
    @Nullable
    ClientSession nextToGoOn() {
        if (waiting.isEmpty() || free() == 0) {
            return null;
        }
        ClientSession session = waiting.removeFirst();
        session.waitsForCredit = false;
        return session;
    }
}
