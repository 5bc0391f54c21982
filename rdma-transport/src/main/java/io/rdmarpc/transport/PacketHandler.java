package io.rdmarpc.transport;

/** Handles the packets of a poll. */
@FunctionalInterface
public interface PacketHandler {

    /**
     * Handles one packet. The ring entry now belongs to the handler, which releases it with {@link
     * UdTransport#release}.
     *
     * @param entry the ring entry that holds the packet; its payload starts at {@link UdTransport#payloadOffset}
     * @param length number of payload bytes
     * @param sourceQpn the sending queue pair
     */
    void onPacket(int entry, int length, int sourceQpn);
}
