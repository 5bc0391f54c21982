package io.rdmarpc.remote.lease;

import java.time.Duration;
import java.util.Set;

/**
 * Limits of the memory that peers may use in this process.
 *
 * @param maxBytes maximum memory allocated for all peers together, in bytes
 * @param maxBytesPerPeer maximum memory allocated for one peer, that is, one host, in bytes
 * @param maxRegionsPerPeer maximum number of regions of one peer, including grants
 * @param maxLinksPerPeer maximum number of links that one peer opens, one for each of its connected {@code RemotePeer}s
 * @param rights rights that a peer may request when it allocates
 * @param maxLease longest lease of an allocation; longer requests are shortened
 * @param grace how long after its announced end a lease really ends, so that operations that began in time can
 *     complete. The NIC rejects later operations
 */
public record LendingLimits(
        long maxBytes,
        long maxBytesPerPeer,
        int maxRegionsPerPeer,
        int maxLinksPerPeer,
        Set<RemoteRight> rights,
        Duration maxLease,
        Duration grace) {

    /** Default: maximum memory for all peers together, in GiB. */
    public static final int DEFAULT_MAX_GIGABYTES = 1;

    /** Default: maximum memory for one peer, in MiB. */
    public static final int DEFAULT_MAX_MEGABYTES_PER_PEER = 256;

    /** Default: maximum number of regions of one peer. */
    public static final int DEFAULT_MAX_REGIONS_PER_PEER = 20_000;

    /** Default: maximum number of links that one peer opens. */
    public static final int DEFAULT_MAX_LINKS_PER_PEER = 256;

    /** Default: longest lease, in hours. */
    public static final int DEFAULT_MAX_LEASE_HOURS = 1;

    /** Default: time added to every lease, in milliseconds. */
    public static final int DEFAULT_GRACE_MILLIS = 50;

    /**
     * The defaults: 1 GiB in total, all rights, leases of up to 1 h, and 50 ms of grace. Each peer may have 256 MiB,
     * 20,000 regions and 256 links.
     */
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
     * @param maxBytes maximum for all peers together
     * @param maxBytesPerPeer maximum for one peer
     * @param maxRegionsPerPeer maximum for one peer
     * @param maxLinksPerPeer maximum for one peer
     * @param rights rights that a peer may request
     * @param maxLease longest lease
     * @param grace time added to every lease
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
