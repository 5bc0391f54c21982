package io.rdmarpc.memory;

/**
 * A snapshot of a pool of registered memory.
 *
 * @param registeredBytes number of bytes registered with the device
 * @param inUseBytes number of bytes of the blocks in use, rounding included
 * @param chunks number of memory regions of the pool
 * @param blocksInUse number of blocks in use
 */
public record MemoryStatistics(long registeredBytes, long inUseBytes, int chunks, int blocksInUse) {

    /** All numbers 0: the initial value of a sum. */
    public static final MemoryStatistics NONE = new MemoryStatistics(0, 0, 0, 0);

    /**
     * Adds another pool's numbers.
     *
     * @param other the other pool
     * @return the sums
     */
    public MemoryStatistics plus(MemoryStatistics other) {
        return new MemoryStatistics(
                registeredBytes + other.registeredBytes,
                inUseBytes + other.inUseBytes,
                chunks + other.chunks,
                blocksInUse + other.blocksInUse);
    }
}
