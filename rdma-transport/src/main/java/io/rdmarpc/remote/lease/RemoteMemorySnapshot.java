package io.rdmarpc.remote.lease;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Leases and grants at one moment, in both directions, in the order of their deadlines.
 *
 * @param lent regions of this process that peers hold
 * @param grants grants that peers may open, or have opened
 * @param held regions of peers that this process holds
 */
public record RemoteMemorySnapshot(List<Lent> lent, List<Granted> grants, List<Held> held) {

    /**
     * Copies the lists.
     *
     * @param lent regions that peers hold
     * @param grants grants of this process
     * @param held regions that this process holds
     */
    public RemoteMemorySnapshot {
        lent = List.copyOf(lent);
        grants = List.copyOf(grants);
        held = List.copyOf(held);
    }

    /**
     * A region that a peer holds.
     *
     * @param id the number of the region
     * @param peer the peer's host
     * @param bytes the size
     * @param rights the rights of the peer
     * @param remaining time until the lease ends, including the grace period
     * @param granted true for a grant, false for memory that the peer has allocated
     */
    public record Lent(
            long id, String peer, long bytes, Set<RemoteRight> rights, Duration remaining, boolean granted) {}

    /**
     * A grant.
     *
     * @param bytes the size
     * @param rights the rights of the peer
     * @param remaining time until the lease ends
     * @param opened whether a peer has opened it
     */
    public record Granted(long bytes, Set<RemoteRight> rights, Duration remaining, boolean opened) {}

    /**
     * A region of a peer that this process holds.
     *
     * @param id the number of the region at the owner
     * @param peer the owner's host
     * @param bytes the size
     * @param rights the rights of this process
     * @param remaining time until the lease ends by the local clock
     */
    public record Held(long id, String peer, long bytes, Set<RemoteRight> rights, Duration remaining) {}
}
