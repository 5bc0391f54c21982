package io.rdmarpc.verbs.soft.shm.budget;

import org.jspecify.annotations.Nullable;

/**
 * Limits the mappings of peers' memory in this process, and their bytes, for all peers of a link together. By default
 * the kernel allows a process 65,530 mappings and 47-bit addresses, which the JVM needs as well. Any thread, because a
 * mapping ends on the thread that releases its last view.
 */
public final class PageBudget {

    static final int MAX_MAPPINGS = 16_384;
    public static final int MAX_MAPPINGS_OF_ONE = 2048;
    static final long MAX_BYTES = 1L << 44;

    private static final System.Logger LOG = System.getLogger(PageBudget.class.getName());

    private final PeerBudget budget = new PeerBudget("mappings", MAX_MAPPINGS, MAX_MAPPINGS_OF_ONE, MAX_BYTES);

    /**
     * Reserves the budget for a mapping.
     *
     * @param peer the owner of the memory, as in {@link PeerBudget#peer}
     * @param size size of the mapping in bytes
     * @return the share, to be closed when the mapping has ended; null, and logged, if the peer is over its limit
     */
    public PeerBudget.@Nullable Share take(String peer, long size) {
        return budget.take(
                peer,
                size,
                reason -> budget.warn(
                        LOG,
                        peer,
                        size + " bytes of memory of " + peer + " are not mapped: " + reason
                                + ". Its data is sent through the ring instead."));
    }
}
