package io.rdmarpc.transport;

/** Takes the packets of a poll. */
@FunctionalInterface
public interface PacketHandler {

    /**
     * Takes one packet. From now on the ring entry belongs to the handler, which gives it back by {@link
     * UdTransport#release}.
     *
     * @param entry the ring entry that holds it; its payload starts at {@link UdTransport#payloadOffset}
     * @param length payload bytes
     * @param sourceQpn the sending queue pair
     */
    void onPacket(int entry, int length, int sourceQpn);
}
