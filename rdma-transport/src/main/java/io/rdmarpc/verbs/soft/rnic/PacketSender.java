package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PacketRoom;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Ipv6Icrc;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Adds padding and ICRC to packets and passes them to the link. */
public final class PacketSender {

    private final PacketLink link;
    private final SoftRnicCounters counters;
    private final PacketBuffer own = new PacketBuffer();
    private final Icrc icrc = new Icrc();
    private final Ipv6Icrc ipv6Icrc = new Ipv6Icrc();
    private PacketBuffer packet = own;

    PacketSender(PacketLink link, SoftRnicCounters counters) {
        this.link = link;
        this.counters = counters;
    }

    /** Returns whether packets to a peer go through memory of this host and cannot be corrupted. */
    public boolean isIntact(Route route) {
        return link.isIntact(route.destination());
    }

    /** Returns the buffer for the headers and payload of a packet of any size. */
    public PacketBuffer start() {
        PacketBuffer next = link.nextPacket();
        packet = next == null ? own : next;
        packet.length(PacketBuffer.CAPACITY);
        return packet;
    }

    /**
     * Returns room for a packet in the ring of a peer on this host, with padding and ICRC already written.
     *
     * @param bytes bytes of headers and payload
     * @return null if the packet has to be written into the buffer of {@link #start}
     */
    @Nullable
    public PacketRoom room(Route route, int bytes) {
        int padded = bytes + Bth.padCountFor(bytes);
        PacketRoom room = link.room(route.localIndex(), route.destination(), padded + Icrc.BYTES);
        if (room != null) {
            MemorySegment memory = room.memory();
            for (int i = bytes; i < padded; i++) {
                memory.set(ValueLayout.JAVA_BYTE, room.at() + i, (byte) 0);
            }
            memory.set(ValueLayout.JAVA_INT, room.at() + padded, 0);
        }
        return room;
    }

    /** Sends the packet in {@link #room}. */
    public void send(PacketRoom room) {
        room.send();
        counters.countSent();
    }

    /**
     * Sends the packet in the buffer of {@link #start}.
     *
     * @param bytes bytes of headers and payload
     * @return false if the link is full; the caller has to write the packet again later
     */
    public boolean send(Route route, int bytes) {
        int padded = bytes + Bth.padCountFor(bytes);
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
        Gid from = route.source().gid();
        LinkAddress destination = route.destination();
        Gid to = destination.gid();
        if (from.isIpv4Mapped()) {
            icrc.write(packet, from.ipv4(), destination.sourcePort(), to.ipv4(), destination.port());
        } else {
            ipv6Icrc.write(
                    packet, from.high(), from.low(), destination.sourcePort(), to.high(), to.low(), destination.port());
        }
    }
}
