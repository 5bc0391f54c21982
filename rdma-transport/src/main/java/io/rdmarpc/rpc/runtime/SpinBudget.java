package io.rdmarpc.rpc.runtime;

/**
 * Decides whether a loop spins during the first idle cycles, before it yields its core. It spins as long as most recent
 * spins found work. A packet of a peer that responds quickly arrives during the spin, and a yield would only delay it.
 * If the work comes from threads that need this core, spins find no work, and spinning soon stops.
 *
 * <pre>
 *   work came during the spin         trust -> one more, at most {@link #MAX_TRUST}
 *   the spin ended without work       trust -> one less
 *   no trust                          every {@link #RETRY}-th pause has one spin
 * </pre>
 *
 * <p>It spins for all of {@link #CYCLES} or for none. Shorter spins would always fail for a slower peer, and would
 * never show that a full spin succeeds.
 *
 * <p>Event loop's thread only.
 */
final class SpinBudget {

    /**
     * Idle cycles of one spin. A cycle polls several times and takes 0.2 to 0.4 µs. The spin lasts some microseconds,
     * about the time of a typed call between two processes of one host.
     */
    static final int CYCLES = 32;

    /** Spinning stops when failed spins exceed successful ones by this number. */
    static final int MAX_TRUST = 8;

    /** One retry in this number of pauses, so that retries cost less than 2 % of the pauses. */
    static final int RETRY = 64;

    private int trust = MAX_TRUST;
    private int left = CYCLES;
    private int pausesWithout;
    private boolean pausing;

    /** Returns whether the loop spins or, if false, yields its core. Called after a duty cycle without work. */
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

    /** Returns whether the loop would spin after another cycle without work. */
    boolean hasCycles() {
        return left > 0;
    }

    /** Called after a duty cycle with work. The next pause starts with a new decision. */
    void onWork() {
        if (!pausing) {
            return;
        }
        pausing = false;
        if (left > 0) {
            trust = Math.min(MAX_TRUST, trust + 1);
        } else if (trust == 0) {
            pausesWithout++;
        }
        left = trust > 0 || pausesWithout % RETRY == 0 ? CYCLES : 0;
    }
}
