package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * Which packets of READ responses were asked for, which have arrived, and which to ask for again.
 *
 * <pre>
 *          expected                           next
 *          |  asked for, some arrived early   |  not yet asked for
 *              repair ...... repairEnd           expected &lt;= repair &lt;= repairEnd &lt;= next
 *              |  ask again  |
 * </pre>
 */
final class PsnWindow {

    private static final int BITS = ReadWindow.MOST_PACKETS;

    private final long[] early = new long[BITS / Long.SIZE];
    private int expected;
    private int next;
    private int repair;
    private int repairEnd;

    void start(int firstPsn) {
        forget();
        expected = firstPsn;
        next = firstPsn;
        repair = firstPsn;
        repairEnd = firstPsn;
    }

    /** Forgets what was asked for: what comes of it is late. */
    void forget() {
        for (; expected != next; expected = Psn.plus(expected, 1)) {
            removeEarly(expected);
        }
        repair = next;
        repairEnd = next;
    }

    // ---- asked for ----

    int expected() {
        return expected;
    }

    int next() {
        return next;
    }

    /** Returns how many packets from the first missing one on were asked for. */
    int waiting() {
        return Psn.distance(expected, next);
    }

    boolean isWaiting() {
        return expected != next;
    }

    void ask(int packets) {
        next = Psn.plus(next, packets);
    }

    /** Goes back to a PSN that was asked for, as if what follows had never been. */
    void goBackTo(int psn) {
        while (next != psn) {
            next = Psn.plus(next, -1);
            removeEarly(next);
        }
        repairEnd = earlier(repairEnd, next);
        repair = earlier(repair, next);
    }

    private static int earlier(int a, int b) {
        return Psn.isBefore(a, b) ? a : b;
    }

    // ---- arrived ----

    /** Tells whether a packet was asked for and has not arrived. */
    boolean isMissing(int psn) {
        return isAskedFor(psn) && !isEarly(psn);
    }

    boolean isAskedFor(int psn) {
        return !Psn.isBefore(psn, expected) && Psn.isBefore(psn, next);
    }

    /** Notes a packet that was missing. */
    void arrived(int psn) {
        early[word(psn)] |= bit(psn);
    }

    /** Moves on by one packet; false when the first one is missing. */
    boolean advance() {
        if (!isEarly(expected)) {
            return false;
        }
        removeEarly(expected);
        expected = Psn.plus(expected, 1);
        repair = Psn.isBefore(repair, expected) ? expected : repair;
        repairEnd = Psn.isBefore(repairEnd, expected) ? expected : repairEnd;
        return true;
    }

    private static int word(int psn) {
        return psn % BITS / Long.SIZE;
    }

    /** The low six bits of a PSN choose the bit: shifts of a long ignore the others. */
    private static long bit(int psn) {
        return 1L << psn;
    }

    private boolean isEarly(int psn) {
        return (early[word(psn)] & bit(psn)) != 0;
    }

    private void removeEarly(int psn) {
        early[word(psn)] &= ~bit(psn);
    }

    // ---- ask again ----

    /** What is missing before a packet that has arrived shall be asked for again, each once; true when there is more of it. */
    boolean repairUpTo(int psn) {
        boolean more = Psn.isBefore(repairEnd, psn);
        repairEnd = more ? psn : repairEnd;
        return more;
    }

    /** All that is missing shall be asked for again. */
    void repairAll() {
        repair = expected;
        repairEnd = next;
    }

    /** Tells whether there is anything to ask for again. */
    boolean isRepairing() {
        while (repair != repairEnd && isEarly(repair)) {
            repair = Psn.plus(repair, 1);
        }
        return repair != repairEnd;
    }

    /** Returns the first packet to ask for again. */
    int repair() {
        return repair;
    }

    /** Returns how many in a row to ask for again. */
    int repairRun(int most) {
        int count = 1;
        for (int psn = Psn.plus(repair, 1); count < most && psn != repairEnd && !isEarly(psn); count++) {
            psn = Psn.plus(psn, 1);
        }
        return count;
    }

    void repaired(int packets) {
        repair = Psn.plus(repair, packets);
    }
}
