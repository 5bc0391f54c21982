package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** Applies a fault to one packet: the n-th sent packet with an opcode. */
final class ScriptedLink implements PacketLink {

    private final PacketLink link;
    private final int opcode;
    private final Fault fault;
    private final PacketBuffer held = new PacketBuffer();
    private LinkAddress heldFor = LinkAddress.of(new Gid(0, 0), 0, 0);
    private int countdown;
    private int pollsLate = 5;
    private int pollsToWait;
    private int hits;

    /** The fault of the packet. */
    enum Fault {
        /** The packet is lost. */
        LOSE,
        /** The packet arrives twice. */
        REPEAT,
        /** The packet arrives after later ones. */
        DELAY,
        /** The packet arrives immediately, and again after later ones. */
        ECHO
    }

    ScriptedLink(PacketLink link, int opcode, int nth, Fault fault) {
        this.link = link;
        this.opcode = opcode;
        this.fault = fault;
        this.countdown = nth;
    }

    /** Sets for how many polls of this end a delayed packet waits. */
    ScriptedLink late(int polls) {
        pollsLate = polls;
        return this;
    }

    private void hold(LinkAddress destination, PacketBuffer packet) {
        held.copyFrom(packet);
        heldFor = destination;
        pollsToWait = pollsLate;
    }

    int hits() {
        return hits;
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        if (Bth.opcode(packet.bytes()) != opcode || --countdown != 0) {
            return link.send(localIndex, destination, packet);
        }
        hits++;
        switch (fault) {
            case LOSE -> {}
            case REPEAT -> {
                link.send(localIndex, destination, packet);
                link.send(localIndex, destination, packet);
            }
            case DELAY -> hold(destination, packet);
            case ECHO -> {
                hold(destination, packet);
                link.send(localIndex, destination, packet);
            }
        }
        return true;
    }

    @Override
    public int poll(int max, LinkPacketHandler handler) {
        if (pollsToWait > 0 && --pollsToWait == 0) {
            link.send(0, heldFor, held);
        }
        return link.poll(max, handler);
    }

    @Override
    public int port() {
        return link.port();
    }

    @Override
    public int receiveWindowBytes() {
        return link.receiveWindowBytes();
    }

    @Override
    public void close() {
        link.close();
    }
}
