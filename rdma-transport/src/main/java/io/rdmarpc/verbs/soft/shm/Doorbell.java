package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.Link;
import io.rdmarpc.verbs.soft.link.PacketHandler;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wakes peers that sleep: by the counter that a peer has handed over for that, else by a datagram of one byte to its UDP port,
 * which it waits for anyway; that says nothing and is not handed on. Who was sent to is remembered until {@link #ring}, so that
 * a batch costs one fence.
 */
final class Doorbell {

    private static final int BELL_BYTES = 1;

    private final Link udp;
    private final HostLinkCounters counters;
    private final Runnable handovers;
    private final PacketBuffer bell = new PacketBuffer();
    /** Those before {@link #sentToCount}. What is behind stays: to store a reference costs a fence, and most are stored again. */
    private @Nullable OutboundRing[] sentTo = new OutboundRing[1];

    private int sentToCount;
    private final PacketHandler filter = this::onPacket;
    private @Nullable PacketHandler handler;

    /**
     * Makes the bells of one end.
     *
     * @param handovers looks, now and then, for what peers have handed over; asked while one is rung by a datagram
     */
    Doorbell(Link udp, HostLinkCounters counters, Runnable handovers) {
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
            if (ring != null && ring.mustRing()) {
                wake(ring);
            }
        }
        sentToCount = 0;
    }

    /** Wakes the peer that a ring leads to. */
    void wake(OutboundRing ring) {
        counters.countBellRung();
        if (!ring.ringBell()) {
            boolean _ = udp.send(ring.localIndex(), ring.destination(), bell);
            handovers.run();
        }
    }

    /** Returns a handler that keeps bells from another one. */
    @SuppressWarnings("ReferenceEquality") // that very handler
    PacketHandler filter(PacketHandler next) {
        if (handler != next) {
            handler = next;
        }
        return filter;
    }

    private void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet) {
        if (packet.length() == BELL_BYTES) {
            counters.countBellHeard();
        } else if (handler != null) {
            handler.onPacket(localIndex, sourceHigh, sourceLow, sourcePort, packet);
        }
    }
}
