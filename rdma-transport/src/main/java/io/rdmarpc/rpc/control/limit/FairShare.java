package io.rdmarpc.rpc.control.limit;

/**
 * Computes how much of a shared resource one peer may have if no setting limits it: half of the amount that the others
 * leave free. A new peer therefore always gets a share.
 */
final class FairShare {

    private FairShare() {}

    /**
     * Computes a share.
     *
     * @param limit the total amount
     * @param ofOthers the amount that the other peers use
     * @return the maximum amount of the peer, including what it has; at least one as long as one is free
     */
    static int of(int limit, int ofOthers) {
        return (Math.max(0, limit - ofOthers) + 1) / 2;
    }
}
