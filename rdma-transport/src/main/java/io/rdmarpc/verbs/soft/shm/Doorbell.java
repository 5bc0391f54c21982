package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wakes peers that sleep: by the bell that a peer has handed over for that, otherwise by a datagram of one byte to its UDP port,
 * which it waits for anyway; that is not handed on. Another such datagram says that something was put into the peer's inbox: it is sent
 * for a new ring, and for all that is written there until the peer has answered with its state. Who was sent to is remembered until
 * {@link #ring}, so that a batch costs one fence.
 */
final class Doorbell {

    private static final int BELL_BYTES = 1;
    private static final byte WAKE = 0;
    private static final byte LOOK = 1;

    private final PacketLink udp;
    private final HostLinkCounters counters;
    private final Runnable handovers;
    private final PacketBuffer bell = new PacketBuffer();
    /** Those before {@link #sentToCount}. What is behind stays: to store a reference costs a fence, and most are stored again. */
    private @Nullable OutboundRing[] sentTo = new OutboundRing[1];

    private int sentToCount;
    private final LinkPacketHandler filter = this::onPacket;
    private @Nullable LinkPacketHandler handler;
    private int looksHeard;

    /**
     * Makes the bells of one end.
     *
     * @param handovers looks, now and then, for what peers have handed over; asked while one is rung by a datagram
     */
    Doorbell(PacketLink udp, HostLinkCounters counters, Runnable handovers) {
        this.udp = udp;
        this.counters = counters;
        this.handovers = handovers;
        bell.length(BELL_BYTES);
    }

    /** Notes that a ring has something new. */
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

    /** Wakes those of the noted peers that sleep. Either a peer sees what was sent, or it is seen here that it sleeps. */
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
        if (ring.isUnanswered()) {
            handovers.run();
        }
        if (ring.isUnanswered() && ring.isOpen()) {
            announce(ring);
        } else if (ring.mustRing()) {
            wake(ring);
        }
    }

    /** Wakes the peer that a ring leads to. */
    void wake(OutboundRing ring) {
        counters.countBellRung();
        if (!ring.ringBell()) {
            send(ring, WAKE);
            handovers.run();
        }
    }

    /** Has the peer look into its inbox. At once: it may be flushed only much later. */
    private void announce(OutboundRing ring) {
        send(ring, LOOK);
        udp.flush();
    }

    private void send(OutboundRing ring, byte kind) {
        bell.bytes().put(0, kind);
        boolean _ = udp.send(ring.localIndex(), ring.destination(), bell);
    }

    /** Returns how many times, since this was last asked, peers said that something is in the inbox. */
    int takeLooks() {
        int heard = looksHeard;
        looksHeard = 0;
        return heard;
    }

    /** Returns a handler that keeps bells from another one. */
    @SuppressWarnings("ReferenceEquality") // that very handler
    LinkPacketHandler filter(LinkPacketHandler next) {
        if (handler != next) {
            handler = next;
        }
        return filter;
    }

    private void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet) {
        if (packet.length() == BELL_BYTES && packet.bytes().get(0) == LOOK) {
            looksHeard++;
        } else if (packet.length() == BELL_BYTES) {
            counters.countBellHeard();
        } else if (handler != null) {
            handler.onPacket(localIndex, sourceHigh, sourceLow, sourcePort, packet);
        }
    }
}
