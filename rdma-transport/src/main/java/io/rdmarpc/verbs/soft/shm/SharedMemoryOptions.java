package io.rdmarpc.verbs.soft.shm;

/**
 * How peers on this host are reached.
 *
 * @param enabled false: by UDP like all others
 * @param ringBytes how much each direction between two processes may hold, a power of two
 * @param inboundBytes maximum bytes of all rings in which peers send here: one ring a quarter, one peer process half of what the
 *     others leave
 */
public record SharedMemoryOptions(boolean enabled, int ringBytes, long inboundBytes) {

    /** The least that a ring holds: some of the largest packets. */
    public static final int SMALLEST_RING_BYTES = 64 << 10;

    /** The most that a ring holds. */
    public static final int LARGEST_RING_BYTES = 256 << 20;

    /** A ring that fits into a processor's cache with what else is there. */
    public static final int DEFAULT_RING_BYTES = 1 << 20;

    /** The least that all rings may have in which peers send here: one small ring of one peer. */
    public static final long SMALLEST_INBOUND_BYTES = 4L * SMALLEST_RING_BYTES;

    /** The most that all rings may have in which peers send here. */
    public static final long LARGEST_INBOUND_BYTES = 64L << 30;

    /** What all rings may have when nothing else is said, unless the own rings are large. */
    public static final long DEFAULT_INBOUND_BYTES = 256L << 20;

    private static final int RINGS_OF_OWN_SIZE = 8;

    /** Shared memory is used. */
    public static final SharedMemoryOptions DEFAULT = new SharedMemoryOptions(true, DEFAULT_RING_BYTES);

    /**
     * Takes as many bytes of peers' rings as there should be for rings of the own size.
     *
     * @param enabled false: by UDP like all others
     * @param ringBytes how much each direction between two processes may hold, a power of two
     */
    public SharedMemoryOptions(boolean enabled, int ringBytes) {
        this(enabled, ringBytes, inboundBytesFor(ringBytes));
    }

    /**
     * Returns how much all rings of peers have when nothing else is said.
     *
     * @param ringBytes of an own ring
     * @return at least room for several such rings
     */
    public static long inboundBytesFor(int ringBytes) {
        return Math.max(DEFAULT_INBOUND_BYTES, (long) RINGS_OF_OWN_SIZE * ringBytes);
    }
}
