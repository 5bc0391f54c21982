package io.rdmarpc.verbs.soft.link.fault;

/**
 * The faults of a {@link FaultyLink}. Probabilities are from 0 to 1 and independent of each other.
 *
 * @param loss fraction of packets to drop
 * @param duplicate fraction of packets to duplicate
 * @param reorder fraction of packets that up to four later packets overtake
 * @param delay fraction of packets to delay
 * @param corrupt fraction of packets in which to flip one bit
 * @param delayNanos the delay in nanoseconds; also the maximum time for which a reordered packet waits
 * @param seed seed of the random choice; the same seed selects the same faults for the same packets
 * @param script faults for particular packets, in addition to the random ones
 * @param bytesPerSecond maximum rate of UDP payload in bytes per second; 0 for no limit
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

    /** The default delay: 1 ms. */
    public static final long DEFAULT_DELAY_NANOS = 1_000_000;

    /** No faults. */
    public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, 0);

    /**
     * Creates random faults only.
     *
     * @param loss fraction of packets to drop
     * @param duplicate fraction of packets to duplicate
     * @param reorder fraction of packets that up to four later packets overtake
     * @param delay fraction of packets to delay
     * @param corrupt fraction of packets in which to flip one bit
     * @param delayNanos the delay in nanoseconds
     * @param seed seed of the random choice; the same seed selects the same faults for the same packets
     */
    public LinkFaults(
            double loss, double duplicate, double reorder, double delay, double corrupt, long delayNanos, long seed) {
        this(loss, duplicate, reorder, delay, corrupt, delayNanos, seed, FaultScript.NONE, 0);
    }

    /** Returns faults that only drop packets. */
    public static LinkFaults loss(double probability, long seed) {
        return new LinkFaults(probability, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, seed);
    }

    /** Returns a copy with a script. */
    public LinkFaults withScript(FaultScript other) {
        return new LinkFaults(loss, duplicate, reorder, delay, corrupt, delayNanos, seed, other, bytesPerSecond);
    }

    /** Returns a copy with a rate limit in bytes per second, 0 for none. */
    public LinkFaults withBandwidth(long limit) {
        return new LinkFaults(loss, duplicate, reorder, delay, corrupt, delayNanos, seed, script, limit);
    }

    /** Returns a copy without corruption, for links that cannot corrupt packets. */
    public LinkFaults withoutCorruption() {
        return new LinkFaults(
                loss, duplicate, reorder, delay, 0, delayNanos, seed, script.withoutCorruption(), bytesPerSecond);
    }

    /** Returns whether packets are corrupted. */
    boolean corrupts() {
        return corrupt > 0 || script.corrupts();
    }

    /** Returns whether there are no faults. */
    public boolean isNone() {
        return loss + duplicate + reorder + delay + corrupt == 0
                && script.steps().isEmpty()
                && bytesPerSecond == 0;
    }
}
