package io.rdmarpc.remote;

import io.rdmarpc.remote.lender.Lender;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.remote.support.RemoteMemoryCounters;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;

/**
 * Statistics of remote memory. Values are counts since it was opened, except those that are described with "now".
 *
 * @param lending leases and grants of peers
 * @param rejections rejected requests of peers
 * @param use use of peers' memory by this process
 */
public record RemoteMemoryStatistics(Lending lending, Rejections rejections, Use use) {

    /**
     * Leases and grants of peers.
     *
     * @param links links with peers now, in both directions
     * @param regions lent now
     * @param grants grants that have not ended now
     * @param bytes allocated for peers now
     * @param allocated allocations by peers
     * @param opened grants that were opened
     * @param renewed leases that were renewed
     * @param freed regions that their holders freed
     * @param expired leases and unopened grants that expired
     * @param revoked opened grants that this process closed
     * @param reclaimed regions whose peer disconnected
     * @param stuck regions that the device failed to deregister; their memory is not reused
     * @param notifications writes that were reported to a listener
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
            long notifications) {}

    /**
     * Rejected requests of peers.
     *
     * @param unknownToken tokens that were never issued, or whose grant ended long ago
     * @param usedToken tokens that were opened before
     * @param foreignPeer tokens that were issued for another peer
     * @param quota requests beyond a limit
     * @param rights requests for rights that are not allowed
     * @param other other rejections
     */
    public record Rejections(
            long unknownToken, long usedToken, long foreignPeer, long quota, long rights, long other) {}

    /**
     * Use of peers' memory by this process. Operations count when the device has completed them.
     *
     * @param regions regions held now
     * @param reads completed READs
     * @param readBytes bytes of completed READs
     * @param writes completed WRITEs
     * @param writtenBytes bytes of completed WRITEs
     * @param atomics completed atomics
     * @param failed operations that failed at the device, or with the connection
     * @param rejected operations that were rejected before they were posted
     */
    public record Use(
            int regions,
            long reads,
            long readBytes,
            long writes,
            long writtenBytes,
            long atomics,
            long failed,
            long rejected) {}

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
                        counters.of(Count.NOTIFICATIONS)),
                new Rejections(
                        counters.of(Count.REJECTED_UNKNOWN_TOKEN),
                        counters.of(Count.REJECTED_USED_TOKEN),
                        counters.of(Count.REJECTED_FOREIGN_PEER),
                        counters.of(Count.REJECTED_QUOTA),
                        counters.of(Count.REJECTED_RIGHTS),
                        counters.of(Count.REJECTED_OTHER)),
                new Use(
                        core.links().stream().mapToInt(PeerLink::heldRegions).sum(),
                        counters.of(Count.READS),
                        counters.of(Count.READ_BYTES),
                        counters.of(Count.WRITES),
                        counters.of(Count.WRITTEN_BYTES),
                        counters.of(Count.ATOMICS),
                        counters.of(Count.FAILED_OPERATIONS),
                        counters.of(Count.REJECTED_OPERATIONS)));
    }
}
