package io.rdmarpc.remote.lease;

import java.time.Duration;
import java.util.Set;

/**
 * What peers may have of this process.
 *
 * @param maxBytes memory allocated for all peers together
 * @param maxBytesPerPeer memory allocated for one peer, that is, one host
 * @param maxRegionsPerPeer regions of one peer, grants included
 * @param maxLinksPerPeer links that one peer opens, one for each of its {@code RemotePeer}s that is connected
 * @param rights what a peer may ask for when it allocates
 * @param maxLease longest lease of an allocation; a longer one is shortened to it
 * @param grace how much later than told a lease ends, so that operations which began in time may end; the NIC cuts off
 *     those that take longer
 */
public record LendingLimits(
        long maxBytes,
        long maxBytesPerPeer,
        int maxRegionsPerPeer,
        int maxLinksPerPeer,
        Set<RemoteRight> rights,
        Duration maxLease,
        Duration grace) {

    /** Default: memory for all peers together, in GiB. */
    public static final int DEFAULT_MAX_GIGABYTES = 1;

    /** Default: memory for one peer, in MiB. */
    public static final int DEFAULT_MAX_MEGABYTES_PER_PEER = 256;

    /** Default: regions of one peer. */
    public static final int DEFAULT_MAX_REGIONS_PER_PEER = 20_000;

    /** Default: links that one peer opens. */
    public static final int DEFAULT_MAX_LINKS_PER_PEER = 256;

    /** Default: longest lease, in hours. */
    public static final int DEFAULT_MAX_LEASE_HOURS = 1;

    /** Default: time added to every lease, in milliseconds. */
    public static final int DEFAULT_GRACE_MILLIS = 50;

    /** 1 GiB in all, 256 MiB, 20,000 regions and 256 links per peer, all rights, an hour at most, 50 ms of grace. */
    public static final LendingLimits DEFAULTS = new LendingLimits(
            (long) DEFAULT_MAX_GIGABYTES << 30,
            (long) DEFAULT_MAX_MEGABYTES_PER_PEER << 20,
            DEFAULT_MAX_REGIONS_PER_PEER,
            DEFAULT_MAX_LINKS_PER_PEER,
            RemoteRight.ALL,
            Duration.ofHours(DEFAULT_MAX_LEASE_HOURS),
            Duration.ofMillis(DEFAULT_GRACE_MILLIS));

    /**
     * Checks the limits.
     *
     * @param maxBytes for all peers together
     * @param maxBytesPerPeer for one peer
     * @param maxRegionsPerPeer of one peer
     * @param maxLinksPerPeer that one peer opens
     * @param rights what a peer may ask for
     * @param maxLease longest lease
     * @param grace added to every lease
     */
    public LendingLimits {
        LimitChecks.checkSetting("max-size", maxBytes, maxBytes >= 0);
        LimitChecks.checkSetting("max-size-per-peer", maxBytesPerPeer, maxBytesPerPeer >= 0);
        LimitChecks.checkSetting("max-regions-per-peer", maxRegionsPerPeer, maxRegionsPerPeer >= 0);
        LimitChecks.checkSetting("max-links-per-peer", maxLinksPerPeer, maxLinksPerPeer >= 0);
        LimitChecks.checkSetting("max-lease", maxLease, LimitChecks.isBetween(maxLease, Duration.ofMillis(1)));
        LimitChecks.checkSetting("grace-period", grace, LimitChecks.isBetween(grace, Duration.ZERO));
        rights = Set.copyOf(rights);
    }
}
