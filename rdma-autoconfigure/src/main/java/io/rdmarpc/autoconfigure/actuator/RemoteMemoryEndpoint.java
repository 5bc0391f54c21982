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

/** {@code /actuator/rdmamemory}: regions, grants and leases of remote memory, either way. Tokens are secrets and not told. */
@Endpoint(id = "rdmamemory", defaultAccess = Access.READ_ONLY)
public final class RemoteMemoryEndpoint {

    /** Each list tells of so many: those that end first. */
    static final int MOST = 1000;

    private final RemoteMemory memory;

    RemoteMemoryEndpoint(RemoteMemory memory) {
        this.memory = memory;
    }

    /**
     * What is lent.
     *
     * @param id what peers know this process by
     * @param device the device
     * @param statistics counts
     * @param lent regions that peers have of this process, at most 1000
     * @param grants what peers may open, at most 1000
     * @param held regions that this process has of peers, at most 1000
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
     * @param id its number at its owner
     * @param peer the other side's host
     * @param bytes how large it is
     * @param rights what its holder may do
     * @param remainingMillis until the lease ends
     * @param granted whether it is of a grant, false where that is not known
     */
    public record Region(
            long id, String peer, long bytes, List<String> rights, long remainingMillis, boolean granted) {}

    /**
     * A grant.
     *
     * @param bytes how large it is
     * @param rights what the peer may do
     * @param remainingMillis until the lease ends
     * @param opened whether a peer has opened it
     */
    public record Grant(long bytes, List<String> rights, long remainingMillis, boolean opened) {}

    /**
     * Describes everything.
     *
     * @return a snapshot
     */
    @ReadOperation
    public Report report() {
        RemoteMemorySnapshot snapshot = memory.snapshot(MOST);
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
