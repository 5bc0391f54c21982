package io.rdmarpc.verbs.soft.shm.budget;

import org.jspecify.annotations.Nullable;

/**
 * Limits the mappings of peers' memory in this process, and their bytes, over all peers of a link. The kernel gives a process 65,530
 * mappings and 47 bits of addresses by default, which the JVM needs too. Any thread: a mapping ends where it is last seen.
 */
public final class PageBudget {

    static final int MOST_MAPPINGS = 16_384;
    public static final int MOST_MAPPINGS_OF_ONE = 2048;
    static final long MOST_BYTES = 1L << 44;

    private static final System.Logger LOG = System.getLogger(PageBudget.class.getName());

    private final PeerBudget budget = new PeerBudget("mappings", MOST_MAPPINGS, MOST_MAPPINGS_OF_ONE, MOST_BYTES);

    /**
     * Takes room for a mapping.
     *
     * @param peer whose memory it is, by {@link PeerBudget#peer}
     * @param size its bytes
     * @return the room, to be closed when the mapping has ended; null, and logged, when the peer has too much
     */
    public PeerBudget.@Nullable Share take(String peer, long size) {
        return budget.take(
                peer,
                size,
                rejection -> budget.warn(
                        LOG,
                        peer,
                        size + " bytes of memory of " + peer + " are not mapped: " + rejection
                                + ". What it lends there goes through the ring."));
    }
}
