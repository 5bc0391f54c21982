package io.rdmarpc.rpc.control.limit;

/**
 * What one peer may have of something that all peers share, where no setting says otherwise: half of what the others leave
 * free. However many a peer takes, the next one finds some.
 */
final class FairShare {

    private FairShare() {}

    /**
     * Computes a share.
     *
     * @param limit how many there are
     * @param ofOthers how many of them the others have
     * @return how many the peer may have, those that it has included; at least one as long as one is free
     */
    static int of(int limit, int ofOthers) {
        return (Math.max(0, limit - ofOthers) + 1) / 2;
    }
}
