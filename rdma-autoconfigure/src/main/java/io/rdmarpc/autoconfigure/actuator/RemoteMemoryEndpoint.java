package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryStatistics;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import java.util.List;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/rdmamemory}: regions, grants and leases of remote memory, as owner and as user. Tokens are secrets
 * and not shown.
 */
@Endpoint(id = "rdmamemory", defaultAccess = Access.READ_ONLY)
public final class RemoteMemoryEndpoint {

    /** Maximum entries of each list. A longer list keeps the entries that end first. */
    static final int MAX_ENTRIES = 1000;

    private final RemoteMemory memory;

    RemoteMemoryEndpoint(RemoteMemory memory) {
        this.memory = memory;
    }

    /**
     * The response of {@code /actuator/rdmamemory}.
     *
     * @param id the identity by which peers know this process
     * @param device the device
     * @param statistics counters
     * @param lent regions of this process that peers use, at most 1000
     * @param grants grants for peers, at most 1000
     * @param held regions of peers that this process uses, at most 1000
     */
    public record Report(
            String id,
            String device,
            RemoteMemoryStatistics statistics,
            List<Region> lent,
            List<Grant> grants,
            List<Region> held)
            implements OperationResponseBody {}

    /**
     * A region and its lease.
     *
     * @param id its number at the region's owner
     * @param peer the other side's host
     * @param bytes its size in bytes
     * @param rights the rights of the leaseholder
     * @param remainingMillis time until the lease ends, in milliseconds
     * @param granted whether the region belongs to a grant; false if this process does not know
     */
    public record Region(
            long id, String peer, long bytes, List<String> rights, long remainingMillis, boolean granted) {}

    /**
     * A grant.
     *
     * @param bytes its size in bytes
     * @param rights the rights of the peer
     * @param remainingMillis time until the lease ends, in milliseconds
     * @param opened whether a peer has opened it
     */
    public record Grant(long bytes, List<String> rights, long remainingMillis, boolean opened) {}

    /**
     * Describes the whole state.
     *
     * @return a snapshot
     */
    @ReadOperation
    public Report report() {
        RemoteMemorySnapshot snapshot = memory.snapshot(MAX_ENTRIES);
        return new Report(
                memory.id().toString(),
                memory.deviceName(),
                memory.statistics(),
                snapshot.lent().stream().map(RemoteMemoryEndpoint::region).toList(),
                snapshot.grants().stream().map(RemoteMemoryEndpoint::grant).toList(),
                snapshot.held().stream().map(RemoteMemoryEndpoint::region).toList());
    }

    private static Region region(RemoteMemorySnapshot.Lent lent) {
        return new Region(
                lent.id(),
                lent.peer(),
                lent.bytes(),
                words(lent.rights()),
                lent.remaining().toMillis(),
                lent.granted());
    }

    private static Region region(RemoteMemorySnapshot.Held held) {
        return new Region(
                held.id(),
                held.peer(),
                held.bytes(),
                words(held.rights()),
                held.remaining().toMillis(),
                false);
    }

    private static Grant grant(RemoteMemorySnapshot.Granted granted) {
        return new Grant(
                granted.bytes(), words(granted.rights()), granted.remaining().toMillis(), granted.opened());
    }

    private static List<String> words(Set<RemoteRight> rights) {
        return rights.stream().sorted().map(Words::of).toList();
    }
}
