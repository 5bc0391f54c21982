package io.rdmarpc.verbs.soft.link;

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
 */
public record LinkFaults(
        double loss, double duplicate, double reorder, double delay, double corrupt, long delayNanos, long seed) {

    /** The delay time when none is given: 1 ms. */
    public static final long DEFAULT_DELAY_NANOS = 1_000_000;

    /** No faults. */
    public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, 0);

    /** Returns faults that only lose packets. */
    public static LinkFaults loss(double probability, long seed) {
        return new LinkFaults(probability, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, seed);
    }

    /** Returns the same without changed bits, for links on which nothing can change them. */
    public LinkFaults withoutCorruption() {
        return new LinkFaults(loss, duplicate, reorder, delay, 0, delayNanos, seed);
    }

    /** Tells whether there is anything to do. */
    public boolean isNone() {
        return loss + duplicate + reorder + delay + corrupt == 0;
    }
}
