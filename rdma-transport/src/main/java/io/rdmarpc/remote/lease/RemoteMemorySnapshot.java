package io.rdmarpc.remote.lease;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What is lent at a moment, either way. Those that end first come first.
 *
 * @param lent what peers have of this process
 * @param grants what peers may open, or have opened
 * @param held what this process has of peers
 */
public record RemoteMemorySnapshot(List<Lent> lent, List<Granted> grants, List<Held> held) {

    /**
     * Copies the lists.
     *
     * @param lent what peers have
     * @param grants what peers may open
     * @param held what this process has
     */
    public RemoteMemorySnapshot {
        lent = List.copyOf(lent);
        grants = List.copyOf(grants);
        held = List.copyOf(held);
    }

    /**
     * A region that a peer has.
     *
     * @param id its number
     * @param peer the peer's host
     * @param bytes how large it is
     * @param rights what the peer may do
     * @param remaining until the lease ends, grace included
     * @param granted true for own memory that was granted, false for memory that the peer has allocated
     */
    public record Lent(
            long id, String peer, long bytes, Set<RemoteRight> rights, Duration remaining, boolean granted) {}

    /**
     * A grant.
     *
     * @param bytes how large it is
     * @param rights what the peer may do
     * @param remaining until the lease ends
     * @param opened whether a peer has opened it
     */
    public record Granted(long bytes, Set<RemoteRight> rights, Duration remaining, boolean opened) {}

    /**
     * A region of a peer.
     *
     * @param id its number at the owner
     * @param peer the owner's host
     * @param bytes how large it is
     * @param rights what this process may do
     * @param remaining until the lease ends, by the own clock
     */
    public record Held(long id, String peer, long bytes, Set<RemoteRight> rights, Duration remaining) {}
}
