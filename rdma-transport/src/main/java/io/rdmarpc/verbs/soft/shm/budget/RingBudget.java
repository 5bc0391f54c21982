package io.rdmarpc.verbs.soft.shm.budget;

import org.jspecify.annotations.Nullable;

/** Limits the rings that peers create to this process, and their bytes. One thread at a time. */
public final class RingBudget {

    /** One ring may have this fraction of all bytes: a quarter. */
    static final int LARGEST_RING_SHARE = 4;

    static final int MAX_RINGS = 4096;
    static final int MAX_RINGS_OF_ONE = 256;

    private static final System.Logger LOG = System.getLogger(RingBudget.class.getName());

    private final long maxBytes;
    private final HostLinkCounters counters;
    private final PeerBudget budget;

    public RingBudget(long maxBytes, HostLinkCounters counters) {
        this.maxBytes = maxBytes;
        this.counters = counters;
        this.budget = new PeerBudget("rings", MAX_RINGS, MAX_RINGS_OF_ONE, maxBytes);
    }

    /** Reserves the budget for a ring; null, counted and logged, if the peer is over its limit. */
    public PeerBudget.@Nullable Share take(String peer, long ringBytes) {
        long largest = maxBytes / LARGEST_RING_SHARE;
        if (ringBytes > largest) {
            reject(peer, ringBytes, "the limit for one ring is " + largest + " bytes");
            return null;
        }
        return budget.take(peer, ringBytes, reason -> reject(peer, ringBytes, reason));
    }

    private void reject(String peer, long ringBytes, String reason) {
        counters.countRejectedRing();
        warn(
                peer,
                "A ring of " + ringBytes + " bytes of " + peer + " in shared memory was rejected: " + reason
                        + ". The RNIC uses UDP to reach this peer. If it is one of your processes, raise"
                        + " rdma.soft.shared-memory.max-inbound-size from "
                        + maxBytes + " bytes.");
    }

    /** Counts an invalid ring. */
    public void countBroken() {
        counters.countBrokenRing();
    }

    /** Logs a warning once for each peer, up to a number of peers. */
    public void warn(String peer, String text) {
        budget.warn(LOG, peer, text);
    }
}
