package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** Handles the packets that a link received. */
@FunctionalInterface
public interface LinkPacketHandler {

    /**
     * Handles one packet.
     *
     * @param localIndex index of the local address at which it arrived
     * @param sourceHigh the first 8 bytes of the sender's GID, big-endian
     * @param sourceLow the last 8 bytes, big-endian
     * @param sourcePort the sender's UDP port
     * @param packet the packet, valid until this method returns
     */
    void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet);

    /**
     * Handles a packet in place, without a copy, if it is of the common kind with a fast path. The sender can still
     * change the packet, so no byte is read twice.
     *
     * @param localIndex index of the local address at which it arrived
     * @param sourceHigh the first 8 bytes of the sender's GID, big-endian
     * @param sourceLow the last 8 bytes, big-endian
     * @param address address of the packet, readable until this method returns
     * @param length bytes of the packet, including the room for the ICRC, whose content is undefined
     * @return false if nothing was done; the caller then calls {@link #onPacket}
     */
    default boolean receivesInPlace(int localIndex, long sourceHigh, long sourceLow, long address, int length) {
        return false;
    }
}
