package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** Takes the packets that a link received. */
@FunctionalInterface
public interface LinkPacketHandler {

    /**
     * Takes one packet.
     *
     * @param localIndex which own address it came to
     * @param sourceHigh the first 8 bytes of the sender's GID, big-endian
     * @param sourceLow the last 8 bytes, big-endian
     * @param sourcePort the sender's UDP port
     * @param packet the packet, valid until this method returns
     */
    void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet);

    /**
     * Takes a packet where it lies, if it is of the common kind for which that is shorter. Its sender can still change it, so
     * that no byte is looked at twice.
     *
     * @param localIndex which own address it came to
     * @param sourceHigh the first 8 bytes of the sender's GID, big-endian
     * @param sourceLow the last 8 bytes, big-endian
     * @param address where it begins; readable until this method returns
     * @param length its bytes, up to the room of the ICRC, which means nothing
     * @return false when nothing was done: it goes to {@link #onPacket}
     */
    default boolean takesInPlace(int localIndex, long sourceHigh, long sourceLow, long address, int length) {
        return false;
    }
}
