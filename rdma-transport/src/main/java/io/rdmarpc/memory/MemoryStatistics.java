package io.rdmarpc.memory;

/**
 * What a pool of registered memory holds at one moment.
 *
 * @param registeredBytes bytes registered with the device
 * @param inUseBytes bytes of the blocks that are out, rounding included
 * @param chunks memory regions behind it
 * @param blocksInUse blocks that are out
 */
public record MemoryStatistics(long registeredBytes, long inUseBytes, int chunks, int blocksInUse) {

    /** Nothing at all: the start of a sum. */
    public static final MemoryStatistics NONE = new MemoryStatistics(0, 0, 0, 0);

    /**
     * Adds another pool's numbers.
     *
     * @param other the other pool
     * @return both together
     */
    public MemoryStatistics plus(MemoryStatistics other) {
        return new MemoryStatistics(
                registeredBytes + other.registeredBytes,
                inUseBytes + other.inUseBytes,
                chunks + other.chunks,
                blocksInUse + other.blocksInUse);
    }
}
