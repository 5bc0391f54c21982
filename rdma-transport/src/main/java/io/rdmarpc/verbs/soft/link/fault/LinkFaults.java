package io.rdmarpc.verbs.soft.link.fault;

/**
 * What a {@link FaultyLink} does to packets. Probabilities are from 0 to 1 and independent of each other.
 *
 * @param loss share of packets that never arrive
 * @param duplicate share of packets that arrive twice
 * @param reorder share of packets that up to four later ones overtake
 * @param delay share of packets that arrive later by the delay time
 * @param corrupt share of packets that arrive with one bit changed
 * @param delayNanos the delay time; also the longest that a reordered packet waits for others
 * @param seed the same seed makes the same faults for the same packets
 * @param script what happens to certain packets, besides the shares
 * @param bytesPerSecond how much may be sent, UDP payload; 0 for no limit
 */
public record LinkFaults(
        double loss,
        double duplicate,
        double reorder,
        double delay,
        double corrupt,
        long delayNanos,
        long seed,
        FaultScript script,
        long bytesPerSecond) {

    /** The delay time when none is given: 1 ms. */
    public static final long DEFAULT_DELAY_NANOS = 1_000_000;

    /** No faults. */
    public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, 0);

    /**
     * Faults by chance only.
     *
     * @param loss share of packets that never arrive
     * @param duplicate share of packets that arrive twice
     * @param reorder share of packets that up to four later ones overtake
     * @param delay share of packets that arrive later by the delay time
     * @param corrupt share of packets that arrive with one bit changed
     * @param delayNanos the delay time
     * @param seed the same seed makes the same faults for the same packets
     */
    public LinkFaults(
            double loss, double duplicate, double reorder, double delay, double corrupt, long delayNanos, long seed) {
        this(loss, duplicate, reorder, delay, corrupt, delayNanos, seed, FaultScript.NONE, 0);
    }

    /** Returns faults that only lose packets. */
    public static LinkFaults loss(double probability, long seed) {
        return new LinkFaults(probability, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, seed);
    }

    /** Returns the same with a script. */
    public LinkFaults withScript(FaultScript other) {
        return new LinkFaults(loss, duplicate, reorder, delay, corrupt, delayNanos, seed, other, bytesPerSecond);
    }

    /** Returns the same with a limit, 0 for none. */
    public LinkFaults withBandwidth(long limit) {
        return new LinkFaults(loss, duplicate, reorder, delay, corrupt, delayNanos, seed, script, limit);
    }

    /** Returns the same without changed bits, for links on which nothing can change them. */
    public LinkFaults withoutCorruption() {
        return new LinkFaults(
                loss, duplicate, reorder, delay, 0, delayNanos, seed, script.withoutCorruption(), bytesPerSecond);
    }

    /** Tells whether bits of packets change. */
    boolean corrupts() {
        return corrupt > 0 || script.corrupts();
    }

    /** Tells whether there is anything to do. */
    public boolean isNone() {
        return loss + duplicate + reorder + delay + corrupt == 0
                && script.steps().isEmpty()
                && bytesPerSecond == 0;
    }
}
