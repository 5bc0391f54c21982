package io.rdmarpc.remote;

import io.rdmarpc.async.RdmaNodeConfig;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * How remote memory is used and lent. Start from {@link #DEFAULTS}. Immutable.
 *
 * @param device which device, and how deep its queues are; it is opened beside the one of the RPC engine, so that long
 *     transfers do not hold up calls
 * @param limits what peers may have of this process
 * @param answerTimeout how long a peer may take to answer a question, connecting included
 */
public record RemoteMemoryConfig(RdmaNodeConfig device, Limits limits, Duration answerTimeout) {

    /** The best device there is, {@link Limits#DEFAULTS}, 10 s for answers. */
    public static final RemoteMemoryConfig DEFAULTS =
            new RemoteMemoryConfig(RdmaNodeConfig.DEFAULTS, Limits.DEFAULTS, Duration.ofSeconds(10));

    /**
     * What peers may have of this process.
     *
     * @param maxBytes memory allocated for all peers together
     * @param maxBytesPerPeer memory allocated for one peer, that is, one host
     * @param maxRegionsPerPeer regions of one peer, grants included
     * @param maxLinksPerPeer links that one peer opens, one for each of its {@link RemotePeer}s that is connected
     * @param rights what a peer may ask for when it allocates
     * @param maxLease longest lease of an allocation; a longer one is shortened to it
     * @param grace how much later than told a lease ends, so that operations which began in time may end; the NIC cuts off
     *     those that take longer
     */
    public record Limits(
            long maxBytes,
            long maxBytesPerPeer,
            int maxRegionsPerPeer,
            int maxLinksPerPeer,
            Set<RemoteRight> rights,
            Duration maxLease,
            Duration grace) {

        /** 1 GiB in all, 256 MiB, 20,000 regions and 256 links per peer, all rights, an hour at most, 50 ms of grace. */
        public static final Limits DEFAULTS = new Limits(
                1L << 30, 256L << 20, 20_000, 256, RemoteRight.ALL, Duration.ofHours(1), Duration.ofMillis(50));

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
        public Limits {
            Checks.checkSetting("max-bytes", maxBytes, maxBytes >= 0);
            Checks.checkSetting("max-bytes-per-peer", maxBytesPerPeer, maxBytesPerPeer >= 0);
            Checks.checkSetting("max-regions-per-peer", maxRegionsPerPeer, maxRegionsPerPeer >= 0);
            Checks.checkSetting("max-links-per-peer", maxLinksPerPeer, maxLinksPerPeer >= 0);
            Checks.checkSetting("max-lease", maxLease, Checks.isBetween(maxLease, Duration.ofMillis(1)));
            Checks.checkSetting("grace", grace, Checks.isBetween(grace, Duration.ZERO));
            rights = Set.copyOf(rights);
        }
    }

    /**
     * Checks the time-out.
     *
     * @param device which device
     * @param limits what peers may have
     * @param answerTimeout how long a peer may take
     */
    public RemoteMemoryConfig {
        Checks.checkSetting("answer-timeout", answerTimeout, Checks.isBetween(answerTimeout, Duration.ofMillis(1)));
    }

    /**
     * Changes the provider and its options.
     *
     * @param provider which provider
     * @param options its options
     * @return the changed copy
     */
    public RemoteMemoryConfig withProvider(String provider, Map<String, String> options) {
        return withDevice(device.withProvider(provider, options));
    }

    /**
     * Changes the device.
     *
     * @param changed which, and how deep its queues are
     * @return the changed copy
     */
    public RemoteMemoryConfig withDevice(RdmaNodeConfig changed) {
        return new RemoteMemoryConfig(changed, limits, answerTimeout);
    }

    /**
     * Changes what peers may have.
     *
     * @param changed the limits
     * @return the changed copy
     */
    public RemoteMemoryConfig withLimits(Limits changed) {
        return new RemoteMemoryConfig(device, changed, answerTimeout);
    }

    /**
     * Changes how long a peer may take to answer.
     *
     * @param changed the time
     * @return the changed copy
     */
    public RemoteMemoryConfig withAnswerTimeout(Duration changed) {
        return new RemoteMemoryConfig(device, limits, changed);
    }
}
