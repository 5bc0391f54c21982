package io.rdmarpc.verbs.soft.shm.budget;

/**
 * The counters of a {@link io.rdmarpc.verbs.soft.shm.HostLink}. Written by one thread at a time; any thread may read.
 */
public final class HostLinkCounters {

    private long sent;
    private long received;
    private long lost;
    private long brokenRings;
    private long lostPeers;
    private long rings;
    private long paths;
    private long rejectedHandovers;
    private long rejectedRings;
    private long overduePins;
    private long bellsRung;
    private long bellsReceived;

    public HostLinkCounters() {}

    public void countSent() {
        sent++;
    }

    public void countReceived(int packets) {
        received += packets;
    }

    public void countLost() {
        lost++;
    }

    public void countBrokenRing() {
        brokenRings++;
    }

    public void countLostPeer() {
        lostPeers++;
    }

    public void countRing() {
        rings++;
    }

    public void countPath() {
        paths++;
    }

    public void countRejectedHandover() {
        rejectedHandovers++;
    }

    void countRejectedRing() {
        rejectedRings++;
    }

    public void countOverduePin() {
        overduePins++;
    }

    public void countBellRung() {
        bellsRung++;
    }

    public void countBellReceived() {
        bellsReceived++;
    }

    /** Returns the number of packets sent through shared memory. */
    public long sent() {
        return sent;
    }

    /** Returns the number of packets received through shared memory. */
    public long received() {
        return received;
    }

    /** Returns the number of packets dropped because the receiver's ring stayed full. */
    public long lost() {
        return lost;
    }

    /** Returns the number of rings that were closed because of invalid content. */
    public long brokenRings() {
        return brokenRings;
    }

    /** Returns the number of peers that were found dead. */
    public long lostPeers() {
        return lostPeers;
    }

    /** Returns the number of rings that peers have created to this process. */
    public long rings() {
        return rings;
    }

    /** Returns the number of shared-memory paths that peers have created to queue pairs of this process. */
    public long paths() {
        return paths;
    }

    /** Returns the number of invalid messages or descriptors that peers passed. */
    public long rejectedHandovers() {
        return rejectedHandovers;
    }

    /** Returns the number of rings rejected because they were too large, or their peer had too many. */
    public long rejectedRings() {
        return rejectedRings;
    }

    /** Returns the number of peers whose ring was closed because they stopped while they copied into revoked memory. */
    public long overduePins() {
        return overduePins;
    }

    /** Returns the number of times that this process woke a sleeping peer. */
    public long bellsRung() {
        return bellsRung;
    }

    /** Returns the number of times that a peer woke this process. */
    public long bellsReceived() {
        return bellsReceived;
    }
}
