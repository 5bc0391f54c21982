package io.rdmarpc.rpc.runtime;

/**
 * Whether a loop spins for the first turns without work, before it offers its core to other threads: as long as that has mostly
 * paid lately. A peer that answers at once does so while the loop spins, and an offer would only make its packet late. Where the
 * work comes from threads that need this core spinning never pays, and soon there is none.
 *
 * <pre>
 *   work came while it span    trust -> one more, at most {@link #MOST_TRUST}
 *   it span in vain            trust -> one less
 *   no trust                   each {@link #RETRY}-th pause it spins once more
 * </pre>
 *
 * <p>It spins for all of {@link #TURNS} or for none: half as many would always be in vain where a peer takes longer than
 * that, and it could never find out that all of them pay.
 *
 * <p>The loop's thread only.
 */
final class SpinBudget {

    /**
     * Of turns that look several times and take 0.2 to 0.4 us: some microseconds, the time of a typed call between two processes of
     * one host.
     */
    static final int TURNS = 32;

    /** After so many pauses in vain more than have paid, it spins no more. */
    static final int MOST_TRUST = 8;

    /** So that what spins in vain takes less than 2 % of the pauses. */
    static final int RETRY = 64;

    private int trust = MOST_TRUST;
    private int left = TURNS;
    private int pausesWithout;
    private boolean pausing;

    /** After a turn without work: whether to spin, else the core is to be offered. */
    boolean spins() {
        pausing = true;
        if (left == 0) {
            return false;
        }
        if (--left == 0) {
            trust = Math.max(0, trust - 1);
        }
        return left > 0;
    }

    /** Tells whether it would spin after the next turn, should that find nothing. */
    boolean hasTurns() {
        return left > 0;
    }

    /** After a turn with work: the next pause begins anew. */
    void onWork() {
        if (!pausing) {
            return;
        }
        pausing = false;
        if (left > 0) {
            trust = Math.min(MOST_TRUST, trust + 1);
        } else if (trust == 0) {
            pausesWithout++;
        }
        left = trust > 0 || pausesWithout % RETRY == 0 ? TURNS : 0;
    }
}
