package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.rnic.FlightWindow;
import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * The PSNs that a requester has used, which of them are done, and which to retransmit. A PSN of a SEND or WRITE is done
 * when it is acknowledged. A PSN of a READ or atomic is done when its response has arrived.
 *
 * <pre>
 *          expected                           next
 *          |  used, some done early           |  not yet used
 *              repair ...... repairEnd           expected &lt;= repair &lt;= repairEnd &lt;= next
 *              | retransmit  |
 * </pre>
 */
final class PsnWindow {

    private static final int BITS = FlightWindow.MAX_PACKETS;

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

    /** Discards all used PSNs; their responses are then late. */
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

    /** Returns the number of used PSNs from the first missing one on. */
    int waiting() {
        return Psn.distance(expected, next);
    }

    boolean isWaiting() {
        return expected != next;
    }

    void use(int packets) {
        next = Psn.plus(next, packets);
    }

    /** Makes the PSNs from one on unused again, so that other packets can use them. */
    void revert(int from) {
        next = from;
        repair = Psn.isBefore(next, repair) ? next : repair;
        repairEnd = Psn.isBefore(next, repairEnd) ? next : repairEnd;
    }

    // ---- done ----

    /** Returns whether a PSN is used and not done. */
    boolean isMissing(int psn) {
        return isUsed(psn) && !isEarly(psn);
    }

    boolean isUsed(int psn) {
        return !Psn.isBefore(psn, expected) && Psn.isBefore(psn, next);
    }

    /** Marks a PSN as done. */
    void arrived(int psn) {
        early[word(psn)] |= bit(psn);
    }

    /** Marks a range of PSNs as done. */
    void arrived(int from, int end) {
        for (int psn = from; psn != end; psn = Psn.plus(psn, 1)) {
            arrived(psn);
        }
    }

    /** Advances by one PSN; false if the first one is missing. */
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

    /** The low six bits of a PSN select the bit, because shifts of a long ignore the others. */
    private static long bit(int psn) {
        return 1L << psn;
    }

    private boolean isEarly(int psn) {
        return (early[word(psn)] & bit(psn)) != 0;
    }

    private void removeEarly(int psn) {
        early[word(psn)] &= ~bit(psn);
    }

    // ---- retransmission ----

    /** Schedules missing PSNs before a PSN that is done for retransmission, each once; true if there are new ones. */
    boolean repairUpTo(int psn) {
        boolean more = Psn.isBefore(repairEnd, psn);
        repairEnd = more ? psn : repairEnd;
        return more;
    }

    /**
     * Schedules all missing PSNs from a PSN on for retransmission, in addition to those already scheduled (go-back-N).
     */
    void repairFrom(int psn) {
        if (repair == repairEnd || Psn.isBefore(psn, repair)) {
            repair = psn;
        }
        repairEnd = next;
    }

    /** Schedules exactly the missing PSNs before a PSN for retransmission. */
    void repairFirst(int end) {
        repair = expected;
        repairEnd = end;
    }

    /** Schedules all later missing PSNs for retransmission as well. */
    void repairRest() {
        repairEnd = next;
    }

    /** Returns whether a PSN is scheduled for retransmission. */
    boolean isRepairing() {
        while (repair != repairEnd && isEarly(repair)) {
            repair = Psn.plus(repair, 1);
        }
        return repair != repairEnd;
    }

    /** Returns the first PSN to retransmit. */
    int repair() {
        return repair;
    }

    /** Returns the number of consecutive PSNs to retransmit, up to a limit. */
    int repairRun(int most) {
        int count = 1;
        for (int psn = Psn.plus(repair, 1); count < most && psn != repairEnd && !isEarly(psn); count++) {
            psn = Psn.plus(psn, 1);
        }
        return count;
    }

    /** Returns whether a PSN is the last one to retransmit. */
    boolean isLastRepair(int psn) {
        return Psn.plus(psn, 1) == repairEnd;
    }

    void repaired(int packets) {
        repair = Psn.plus(repair, packets);
    }
}
