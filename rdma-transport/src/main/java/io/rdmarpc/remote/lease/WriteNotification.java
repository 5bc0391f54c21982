package io.rdmarpc.remote.lease;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.UUID;

/**
 * The notification of a peer's write to lent memory. The peer is not trusted: it can name any region that it holds with
 * {@link RemoteRight#NOTIFY}, regardless of where it wrote.
 *
 * @param peer the peer that wrote
 * @param grant the grant that the peer has opened, empty for memory that it has allocated
 * @param memory the region; the peer may change it at any time, and allocated memory is freed at the end of its lease
 * @param bytes the number of written bytes
 * @param tag the tag of the peer, 0 to 65535
 */
public record WriteNotification(UUID peer, Optional<RegionGrant> grant, MemorySegment memory, int bytes, int tag) {}
