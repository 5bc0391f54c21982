package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.rnic.FlightWindow;
import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * Which PSNs a requester has used, which of them are done, and which to send again. A PSN of a SEND or WRITE is done when it
 * is acknowledged, one of a READ or atomic when its answer has arrived.
 *
 * <pre>
 *          expected                           next
 *          |  used, some done early           |  not yet used
 *              repair ...... repairEnd           expected &lt;= repair &lt;= repairEnd &lt;= next
 *              |  send again |
 * </pre>
 */
final class PsnWindow {

    private static final int BITS = FlightWindow.MOST_PACKETS;

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

    /** Forgets what was sent: what comes of it is late. */
    void forget() {
        for (; expected != next; expected = Psn.plus(expected, 1)) {
            removeEarly(expected);
        }
        repair = next;
        repairEnd = next;
    }

    // ---- used ----

    int expected() {
        return expected;
    }

    int next() {
        return next;
    }

    /** Returns how many PSNs from the first missing one on were used. */
    int waiting() {
        return Psn.distance(expected, next);
    }

    boolean isWaiting() {
        return expected != next;
    }

    void use(int packets) {
        next = Psn.plus(next, packets);
    }

    /** Takes the last ones back: they are used for something else. */
    void takeBack(int from) {
        next = from;
        repair = Psn.isBefore(next, repair) ? next : repair;
        repairEnd = Psn.isBefore(next, repairEnd) ? next : repairEnd;
    }

    // ---- done ----

    /** Tells whether a PSN was used and is not done. */
    boolean isMissing(int psn) {
        return isUsed(psn) && !isEarly(psn);
    }

    boolean isUsed(int psn) {
        return !Psn.isBefore(psn, expected) && Psn.isBefore(psn, next);
    }

    /** Notes that a PSN is done. */
    void arrived(int psn) {
        early[word(psn)] |= bit(psn);
    }

    /** Notes that all PSNs from one to another are done. */
    void arrived(int from, int end) {
        for (int psn = from; psn != end; psn = Psn.plus(psn, 1)) {
            arrived(psn);
        }
    }

    /** Moves on by one PSN; false when the first one is missing. */
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

    // ---- send again ----

    /** What is missing before a PSN that is done shall be sent again, each once; true when there is more of it. */
    boolean repairUpTo(int psn) {
        boolean more = Psn.isBefore(repairEnd, psn);
        repairEnd = more ? psn : repairEnd;
        return more;
    }

    /** All that is missing from a PSN on shall be sent again, besides what was to be anyway (go-back-N). */
    void repairFrom(int psn) {
        if (repair == repairEnd || Psn.isBefore(psn, repair)) {
            repair = psn;
        }
        repairEnd = next;
    }

    /** What is missing before a PSN shall be sent again, from the first on, and nothing else. */
    void repairFirst(int end) {
        repair = expected;
        repairEnd = end;
    }

    /** What is missing behind what was sent again shall be sent again too. */
    void repairRest() {
        repairEnd = next;
    }

    /** Tells whether there is anything to send again. */
    boolean isRepairing() {
        while (repair != repairEnd && isEarly(repair)) {
            repair = Psn.plus(repair, 1);
        }
        return repair != repairEnd;
    }

    /** Returns the first PSN to send again. */
    int repair() {
        return repair;
    }

    /** Returns how many in a row to send again. */
    int repairRun(int most) {
        int count = 1;
        for (int psn = Psn.plus(repair, 1); count < most && psn != repairEnd && !isEarly(psn); count++) {
            psn = Psn.plus(psn, 1);
        }
        return count;
    }

    /** Tells whether a PSN is the last to send again. */
    boolean isLastRepair(int psn) {
        return Psn.plus(psn, 1) == repairEnd;
    }

    void repaired(int packets) {
        repair = Psn.plus(repair, packets);
    }
}
