package io.rdmarpc.remote.lease;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.UUID;

/**
 * A peer has written into lent memory and says so. What it says is its word: it can name any region that it has with
 * {@link RemoteRight#NOTIFY}, whatever it wrote to.
 *
 * @param peer who
 * @param grant the grant it has opened, empty for memory it has allocated
 * @param memory the region, live: the peer may go on writing, and what it allocated goes with its lease
 * @param bytes how many it has written
 * @param tag what it has said, 0 to 65535
 */
public record WriteNotification(UUID peer, Optional<RegionGrant> grant, MemorySegment memory, int bytes, int tag) {}
