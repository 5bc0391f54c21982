package io.rdmarpc.verbs.soft.shm.budget;

import org.jspecify.annotations.Nullable;

/** Limits the rings that peers make here, and their bytes. One thread at a time. */
public final class RingBudget {

    /** One ring may have that share of all bytes. */
    static final int LARGEST_RING_SHARE = 4;

    static final int MOST_RINGS = 4096;
    static final int MOST_RINGS_OF_ONE = 256;

    private static final System.Logger LOG = System.getLogger(RingBudget.class.getName());

    private final long mostBytes;
    private final HostLinkCounters counters;
    private final PeerBudget budget;

    public RingBudget(long mostBytes, HostLinkCounters counters) {
        this.mostBytes = mostBytes;
        this.counters = counters;
        this.budget = new PeerBudget("rings", MOST_RINGS, MOST_RINGS_OF_ONE, mostBytes);
    }

    /** Takes room for a ring; null, counted and logged, when a peer has too much. */
    public PeerBudget.@Nullable Share take(String peer, long ringBytes) {
        long largest = mostBytes / LARGEST_RING_SHARE;
        if (ringBytes > largest) {
            refused(peer, ringBytes, "one ring has at most " + largest + " bytes");
            return null;
        }
        return budget.take(peer, ringBytes, rejection -> refused(peer, ringBytes, rejection));
    }

    private void refused(String peer, long ringBytes, String rejection) {
        counters.countRefusedRing();
        warn(
                peer,
                "A ring of " + ringBytes + " bytes of " + peer + " in shared memory is refused: " + rejection
                        + ". The peer is reached by UDP. Raise rdma.soft.shared-memory.max-inbound-size, now "
                        + mostBytes
                        + ", if it is one of yours.");
    }

    /** Counts what makes no sense. */
    public void countBroken() {
        counters.countBrokenRing();
    }

    /** Warns once of each peer, of so many peers at most. */
    public void warn(String peer, String text) {
        budget.warn(LOG, peer, text);
    }
}
