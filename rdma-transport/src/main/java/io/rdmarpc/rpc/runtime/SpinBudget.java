package io.rdmarpc.rpc.runtime;

/**
 * For how many turns without work a loop spins before it offers its core to other threads: as many as have paid lately. A
 * peer that answers at once does so while the loop spins, and an offer would only make its packet late. Where the work comes
 * from threads that need this core spinning never pays, and soon there is none.
 *
 * <pre>
 *   work came while it span    budget -> twice, at most {@link #MOST}
 *   it span in vain            budget -> half, down to none
 *   none                       each {@link #RETRY}-th time it tries {@link #MOST} once more
 * </pre>
 *
 * <p>The loop's thread only.
 */
final class SpinBudget {

    /** Of turns that take 0.1 us: some microseconds, the time of a call between two processes of one host. */
    static final int MOST = 64;

    /** So that what spins in vain takes less than 2 % of the pauses. */
    static final int RETRY = 64;

    private int budget = MOST;
    private int left = MOST;
    private int pausesWithout;
    private boolean pausing;

    /** After a turn without work: whether to spin, else the core is to be offered. */
    boolean spins() {
        pausing = true;
        if (left == 0) {
            return false;
        }
        if (--left == 0) {
            budget /= 2;
        }
        return left > 0;
    }

    /** After a turn with work: the next pause begins anew. */
    void onWork() {
        if (!pausing) {
            return;
        }
        pausing = false;
        if (left > 0) {
            budget = Math.min(MOST, 2 * Math.max(1, budget));
        } else if (budget == 0) {
            pausesWithout++;
        }
        left = budget == 0 && pausesWithout % RETRY == 0 ? MOST : budget;
    }
}
