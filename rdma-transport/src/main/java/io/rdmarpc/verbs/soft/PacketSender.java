package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.Link;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** Finishes packets with padding and ICRC and gives them to the link. */
final class PacketSender {

    private final int port;
    private final Link link;
    private final SoftRnicCounters counters;
    private final PacketBuffer packet = new PacketBuffer();
    private final Icrc icrc = new Icrc();

    PacketSender(Link link, SoftRnicCounters counters) {
        this.port = link.port();
        this.link = link;
        this.counters = counters;
    }

    /** Returns how many bytes make a payload a multiple of four (InfiniBand Architecture Specification vol. 1, 9.2). */
    static int padCount(int payloadBytes) {
        return -payloadBytes & 3;
    }

    /** Tells whether what is sent to a peer goes through memory of this host. */
    boolean isIntact(Route route) {
        return link.isIntact(route.destination());
    }

    /** Returns the packet to write headers and payload into, with room for the largest. */
    PacketBuffer start() {
        packet.length(PacketBuffer.CAPACITY);
        return packet;
    }

    /**
     * Sends what was written since {@link #start}.
     *
     * @param bytes headers and payload
     * @return false when the link cannot take it now: start again later
     */
    boolean send(Route route, int bytes) {
        int padded = bytes + padCount(bytes);
        for (int i = bytes; i < padded; i++) {
            packet.bytes().put(i, (byte) 0);
        }
        packet.length(padded + Icrc.BYTES);
        if (link.isIntact(route.destination())) {
            packet.bytes().putInt(padded, 0);
        } else {
            writeIcrc(route);
        }
        boolean taken = link.send(route.localIndex(), route.destination(), packet);
        if (taken) {
            counters.countSent();
        }
        return taken;
    }

    private void writeIcrc(Route route) {
        icrc.write(
                packet,
                route.source().ipv4(),
                port,
                route.destination().ipv4(),
                route.destination().port());
    }
}
