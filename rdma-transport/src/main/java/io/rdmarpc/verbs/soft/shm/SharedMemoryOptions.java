package io.rdmarpc.verbs.soft.shm;

/**
 * How peers on this host are reached.
 *
 * @param enabled false: by UDP like all others
 * @param ringBytes how much each direction between two processes may hold, a power of two
 */
public record SharedMemoryOptions(boolean enabled, int ringBytes) {

    /** The least that a ring holds: some of the largest packets. */
    public static final int SMALLEST_RING_BYTES = 64 << 10;

    /** The most that a ring holds. */
    public static final int LARGEST_RING_BYTES = 256 << 20;

    /** A ring that fits into a processor's cache with what else is there. */
    public static final int DEFAULT_RING_BYTES = 1 << 20;

    /** Shared memory is used. */
    public static final SharedMemoryOptions DEFAULT = new SharedMemoryOptions(true, DEFAULT_RING_BYTES);
}
