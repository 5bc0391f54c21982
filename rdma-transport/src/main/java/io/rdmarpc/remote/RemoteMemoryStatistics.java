package io.rdmarpc.remote;

import io.rdmarpc.remote.lender.Lender;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.remote.support.RemoteMemoryCounters;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;

/**
 * What happened with remote memory. Counts since it was opened, but for what says now.
 *
 * @param lending what peers have of this process
 * @param rejections what peers asked for and did not get
 * @param use what this process did with memory of others
 */
public record RemoteMemoryStatistics(Lending lending, Rejections rejections, Use use) {

    /**
     * What peers have of this process.
     *
     * @param links peers now, either way
     * @param regions lent now
     * @param grants made and not over now
     * @param bytes allocated for peers now
     * @param allocated allocations
     * @param opened grants that were opened
     * @param renewed leases that were renewed
     * @param freed regions that their holders gave back
     * @param expired leases that ended by time
     * @param revoked grants that were closed while a peer had them
     * @param reclaimed regions of peers that were gone
     * @param stuck regions that a device did not let go of; their memory is never used again
     * @param notices writes that a listener was told of
     */
    public record Lending(
            int links,
            int regions,
            int grants,
            long bytes,
            long allocated,
            long opened,
            long renewed,
            long freed,
            long expired,
            long revoked,
            long reclaimed,
            long stuck,
            long notices) {}

    /**
     * What peers asked for and did not get.
     *
     * @param unknownToken tokens that nobody made, or whose grant ended long ago
     * @param usedToken tokens used a second time
     * @param foreignPeer tokens used by others than they were made for
     * @param quota more than a peer may have
     * @param rights more rights than are given
     * @param other the rest
     */
    public record Rejections(
            long unknownToken, long usedToken, long foreignPeer, long quota, long rights, long other) {}

    /**
     * What this process did with memory of others. Operations count when the device has done them.
     *
     * @param regions held now
     * @param reads READs done
     * @param readBytes their bytes
     * @param writes WRITEs done
     * @param writtenBytes their bytes
     * @param atomics atomics done
     * @param failed operations that failed at a device, or with the connection
     * @param refused operations that were refused here
     */
    public record Use(
            int regions,
            long reads,
            long readBytes,
            long writes,
            long writtenBytes,
            long atomics,
            long failed,
            long refused) {}

    static RemoteMemoryStatistics of(MemoryCore core) {
        RemoteMemoryCounters counters = core.counters();
        Lender lender = core.lender();
        return new RemoteMemoryStatistics(
                new Lending(
                        core.links().size(),
                        lender.regions(),
                        lender.grants(),
                        lender.lentBytes(),
                        counters.of(Count.ALLOCATED),
                        counters.of(Count.OPENED),
                        counters.of(Count.RENEWED),
                        counters.of(Count.FREED),
                        counters.of(Count.EXPIRED),
                        counters.of(Count.REVOKED),
                        counters.of(Count.RECLAIMED),
                        counters.of(Count.STUCK),
                        counters.of(Count.NOTICES)),
                new Rejections(
                        counters.of(Count.REFUSED_UNKNOWN_TOKEN),
                        counters.of(Count.REFUSED_USED_TOKEN),
                        counters.of(Count.REFUSED_FOREIGN_PEER),
                        counters.of(Count.REFUSED_QUOTA),
                        counters.of(Count.REFUSED_RIGHTS),
                        counters.of(Count.REFUSED_OTHER)),
                new Use(
                        core.links().stream().mapToInt(PeerLink::heldRegions).sum(),
                        counters.of(Count.READS),
                        counters.of(Count.READ_BYTES),
                        counters.of(Count.WRITES),
                        counters.of(Count.WRITTEN_BYTES),
                        counters.of(Count.ATOMICS),
                        counters.of(Count.FAILED_OPERATIONS),
                        counters.of(Count.REFUSED_OPERATIONS)));
    }
}
