package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** Takes the packets that a link received. */
@FunctionalInterface
public interface PacketHandler {

    /**
     * Takes one packet.
     *
     * @param localIndex which own address it came to
     * @param sourceIp the sender's IPv4 address as a big-endian number
     * @param sourcePort the sender's UDP port
     * @param packet the packet, valid until this method returns
     */
    void onPacket(int localIndex, int sourceIp, int sourcePort, PacketBuffer packet);
}
