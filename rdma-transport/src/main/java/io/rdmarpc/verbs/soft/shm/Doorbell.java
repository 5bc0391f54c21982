package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wakes sleeping peers by the bell that a peer has passed. Without a bell it sends a datagram of one byte to the peer's
 * UDP port, at which the peer waits anyway. The peer's link discards it. Another such datagram announces a new entry in
 * the peer's inbox. It is sent for a new ring, and for all packets in it until the peer has passed its state. The rings
 * with new packets are stored until {@link #ring}, so that a batch costs one fence.
 */
final class Doorbell {

    private static final int BELL_BYTES = 1;
    private static final byte WAKE = 0;
    private static final byte LOOK = 1;

    private final PacketLink udp;
    private final HostLinkCounters counters;
    private final Runnable handovers;
    private final PacketBuffer bell = new PacketBuffer();
    /**
     * The rings before {@link #sentToCount}. Elements after the count are not cleared, because a reference store costs
     * a GC barrier and most rings are stored again.
     */
    private @Nullable OutboundRing[] sentTo = new OutboundRing[1];

    private int sentToCount;
    private final LinkPacketHandler filter = this::onPacket;
    private @Nullable LinkPacketHandler handler;
    private int announcements;

    /**
     * Creates the doorbell of one link.
     *
     * @param handovers receives, at limited intervals, the descriptors that peers have passed; called while a peer is
     * woken by datagrams
     */
    Doorbell(PacketLink udp, HostLinkCounters counters, Runnable handovers) {
        this.udp = udp;
        this.counters = counters;
        this.handovers = handovers;
        bell.length(BELL_BYTES);
    }

    /** Adds a ring after a packet was written into it. */
    void sentTo(OutboundRing ring) {
        if (!ring.markUnrung()) {
            return;
        }
        if (ring.mustAnnounce()) {
            announce(ring);
        }
        if (sentToCount == sentTo.length) {
            sentTo = Arrays.copyOf(sentTo, 2 * sentToCount);
        }
        if (sentTo[sentToCount] != ring) {
            sentTo[sentToCount] = ring;
        }
        sentToCount++;
    }

    /**
     * Wakes the sleeping peers among the added rings. Either a peer sees the packets, or this thread sees that the peer
     * sleeps.
     */
    void ring() {
        if (sentToCount == 0) {
            return;
        }
        VarHandle.fullFence();
        for (int i = 0; i < sentToCount; i++) {
            OutboundRing ring = sentTo[i];
            if (ring != null) {
                ring.endBatch();
                ring(ring);
            }
        }
        sentToCount = 0;
    }

    private void ring(OutboundRing ring) {
        if (ring.isStateUnknown()) {
            handovers.run();
        }
        if (ring.isStateUnknown() && ring.isOpen()) {
            announce(ring);
        } else if (ring.mustRing()) {
            wake(ring);
        }
    }

    /** Wakes the peer of a ring. */
    void wake(OutboundRing ring) {
        counters.countBellRung();
        if (!ring.ringBell()) {
            send(ring, WAKE);
            handovers.run();
        }
    }

    /** Notifies the peer of a new entry in its inbox. Sends at once, because the next flush may come much later. */
    private void announce(OutboundRing ring) {
        send(ring, LOOK);
        udp.flush();
    }

    private void send(OutboundRing ring, byte kind) {
        bell.bytes().put(0, kind);
        boolean _ = udp.send(ring.localIndex(), ring.destination(), bell);
    }

    /** Returns the number of announcements of inbox entries from peers since the last call. */
    int pollAnnouncements() {
        int count = announcements;
        announcements = 0;
        return count;
    }

    /** Returns a handler that passes all packets except bells to another one. */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    LinkPacketHandler filter(LinkPacketHandler next) {
        if (handler != next) {
            handler = next;
        }
        return filter;
    }

    private void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet) {
        if (packet.length() == BELL_BYTES && packet.bytes().get(0) == LOOK) {
            announcements++;
        } else if (packet.length() == BELL_BYTES) {
            counters.countBellReceived();
        } else if (handler != null) {
            handler.onPacket(localIndex, sourceHigh, sourceLow, sourcePort, packet);
        }
    }
}
