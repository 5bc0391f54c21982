package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RemoteRight;
import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of remote memory: one-sided operations on the memory of other processes. Immutable.
 *
 * @param enabled Whether this process can use memory of peers and lend its own. When true, the device gets a second set
 *     of queues, and there is a RemoteMemoryTemplate.
 * @param listen Whether clients may connect to use this process's memory although it offers no service.
 * @param responseTimeout How long a peer may take to respond to a request about memory, connecting included. Raising
 *     it tolerates slower peers and reports dead ones later.
 * @param softPort UDP port of the software RNIC for remote memory, in addition to that of calls. 0 uses any free one.
 * @param lending Limits of the memory that peers may use in this process.
 */
@ConfigurationProperties("rdma.remote-memory")
public record RdmaRemoteMemoryProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("false") boolean listen,

        @DefaultValue(RemoteMemoryConfig.DEFAULT_RESPONSE_SECONDS + "s")
        Duration responseTimeout,

        @DefaultValue("0") int softPort,
        @DefaultValue Lending lending)
        implements CheckedSettings {

    @Override
    public void check(SettingsCheck check) {
        check.longerThanZero("responseTimeout", responseTimeout);
        check.within("softPort", softPort, 0, 65535, "must be a UDP port, 0 to 65535: 0 takes any free one");
        check.nested("lending", lending);
    }

    /**
     * Limits of the memory that peers may use in this process. All processes of a host are one peer.
     *
     * @param maxSize Maximum memory allocated for all peers together. With 0, peers use only memory that is granted
     *     to them. Raising it lends more of this process's memory.
     * @param maxSizePerPeer Maximum memory allocated for one peer. Raising it lets one peer use more of the common
     *     limit.
     * @param maxRegionsPerPeer Maximum regions of one peer, grants included. Raising it lets one peer use more memory
     *     regions of the device.
     * @param maxLinksPerPeer Maximum memory connections that one peer opens. Raising it allows more processes of one
     *     host.
     * @param rights Rights that a peer may request when it allocates memory.
     * @param maxLease How long a lease of allocated memory lasts at most. Longer requests are shortened to it.
     *     Raising it lets a silent peer keep its memory longer.
     * @param gracePeriod How long operations that began before the end of a lease may continue after it. Raising it
     *     cancels fewer operations and keeps memory longer.
     */
    public record Lending(
            @DefaultValue(LendingLimits.DEFAULT_MAX_GIGABYTES + "GB")
            DataSize maxSize,

            @DefaultValue(LendingLimits.DEFAULT_MAX_MEGABYTES_PER_PEER + "MB")
            DataSize maxSizePerPeer,

            @DefaultValue("" + LendingLimits.DEFAULT_MAX_REGIONS_PER_PEER)
            int maxRegionsPerPeer,

            @DefaultValue("" + LendingLimits.DEFAULT_MAX_LINKS_PER_PEER)
            int maxLinksPerPeer,

            @DefaultValue({"read", "write", "atomic", "notify"})
            Set<RemoteRight> rights,

            @DefaultValue(LendingLimits.DEFAULT_MAX_LEASE_HOURS + "h")
            Duration maxLease,

            @DefaultValue(LendingLimits.DEFAULT_GRACE_MILLIS + "ms")
            Duration gracePeriod)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.bytes("maxSize", maxSize, 0, Long.MAX_VALUE, "must be 0B or more: 0B lends by grants only");
            check.bytes(
                    "maxSizePerPeer", maxSizePerPeer, 0, Long.MAX_VALUE, "must be 0B or more: 0B lends by grants only");
            check.atLeast("maxRegionsPerPeer", maxRegionsPerPeer, 0, "must be 0 or more: 20000 suits most");
            check.atLeast("maxLinksPerPeer", maxLinksPerPeer, 1, "must be 1 or more: 256 suits most");
            check.longerThanZero("maxLease", maxLease);
            check.notNegative("gracePeriod", gracePeriod);
        }
    }
}
