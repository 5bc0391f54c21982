package io.rdmarpc.verbs.soft.shm;

/**
 * Settings of shared memory with peers on this host.
 *
 * @param enabled whether to use shared memory; otherwise UDP
 * @param ringBytes bytes of the ring for each direction between two processes, a power of two
 * @param inboundBytes maximum bytes of all inbound rings. One ring may use a quarter of them, and one peer process half
 *     of the bytes that the others leave
 */
public record SharedMemoryOptions(boolean enabled, int ringBytes, long inboundBytes) {

    /** Minimum bytes of a ring: several packets of maximum size. */
    public static final int SMALLEST_RING_BYTES = 64 << 10;

    /** Maximum bytes of a ring. */
    public static final int LARGEST_RING_BYTES = 256 << 20;

    /** Default bytes of a ring, which fits into a CPU cache alongside other data. */
    public static final int DEFAULT_RING_BYTES = 1 << 20;

    /** Minimum limit of all inbound rings: one small ring of one peer. */
    public static final long SMALLEST_INBOUND_BYTES = 4L * SMALLEST_RING_BYTES;

    /** Maximum limit of all inbound rings. */
    public static final long LARGEST_INBOUND_BYTES = 64L << 30;

    /** Default limit of all inbound rings, unless this process's rings are large. */
    public static final long DEFAULT_INBOUND_BYTES = 256L << 20;

    private static final int RINGS_OF_OWN_SIZE = 8;

    /** Shared memory with default sizes. */
    public static final SharedMemoryOptions DEFAULT = new SharedMemoryOptions(true, DEFAULT_RING_BYTES);

    /**
     * Creates settings with the default inbound limit for the ring size.
     *
     * @param enabled whether to use shared memory; otherwise UDP
     * @param ringBytes bytes of the ring for each direction between two processes, a power of two
     */
    public SharedMemoryOptions(boolean enabled, int ringBytes) {
        this(enabled, ringBytes, inboundBytesFor(ringBytes));
    }

    /**
     * Returns the default limit of all inbound rings.
     *
     * @param ringBytes bytes of a ring of this process
     * @return the limit in bytes, at least eight such rings
     */
    public static long inboundBytesFor(int ringBytes) {
        return Math.max(DEFAULT_INBOUND_BYTES, (long) RINGS_OF_OWN_SIZE * ringBytes);
    }
}
