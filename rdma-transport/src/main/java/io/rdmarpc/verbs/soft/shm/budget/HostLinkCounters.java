package io.rdmarpc.verbs.soft.shm.budget;

/** What a {@link io.rdmarpc.verbs.soft.shm.HostLink} has done. Written by one thread at a time; any thread may look. */
public final class HostLinkCounters {

    private long sent;
    private long received;
    private long lost;
    private long brokenRings;
    private long lostPeers;
    private long rings;
    private long paths;
    private long refusedHandovers;
    private long refusedRings;
    private long overduePins;
    private long bellsRung;
    private long bellsHeard;

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

    public void countRefusedHandover() {
        refusedHandovers++;
    }

    void countRefusedRing() {
        refusedRings++;
    }

    public void countOverduePin() {
        overduePins++;
    }

    public void countBellRung() {
        bellsRung++;
    }

    public void countBellHeard() {
        bellsHeard++;
    }

    /** Returns how many packets went through memory. */
    public long sent() {
        return sent;
    }

    /** Returns how many packets came through memory. */
    public long received() {
        return received;
    }

    /** Returns how many packets were lost because their receiver took none for long. */
    public long lost() {
        return lost;
    }

    /** Returns how many rings were given up because what was in them made no sense. */
    public long brokenRings() {
        return brokenRings;
    }

    /** Returns how many peers were found dead. */
    public long lostPeers() {
        return lostPeers;
    }

    /** Returns how many rings peers have made here. */
    public long rings() {
        return rings;
    }

    /** Returns how many shared-memory paths peers have made that queue pairs here read. */
    public long paths() {
        return paths;
    }

    /** Returns how often memory that a peer handed over, or what it said with it, made no sense. */
    public long refusedHandovers() {
        return refusedHandovers;
    }

    /** Returns how many rings of peers were refused because they were too large, or their peer had too many. */
    public long refusedRings() {
        return refusedRings;
    }

    /** Returns how many peers were given up because they had stopped while they copied into memory that was to be revoked. */
    public long overduePins() {
        return overduePins;
    }

    /** Returns how often a sleeping peer was woken. */
    public long bellsRung() {
        return bellsRung;
    }

    /** Returns how often a peer has woken this end. */
    public long bellsHeard() {
        return bellsHeard;
    }
}
