package io.rdmarpc.verbs.soft.wire;

/**
 * The invariant CRC of a packet over IPv6 (RoCE v2 annex A17.3.3); {@link Icrc} is for IPv4. Traffic class, flow label,
 * hop limit and UDP checksum enter the CRC as all ones.
 *
 * <pre>
 *   byte 0      8              48           56        68
 *        ones   IPv6 header    UDP header   BTH       rest of the packet, without the ICRC
 *               class, label   checksum     byte 4
 *               and hops ones  ones         ones
 * </pre>
 *
 * One thread at a time.
 */
public final class Ipv6Icrc {

    private final IcrcInput input = new IcrcInput(Ipv6Header.BYTES);

    /**
     * Writes the ICRC into the last 4 bytes of a packet.
     *
     * @param packet the whole packet, its length set
     */
    public void write(
            PacketBuffer packet,
            long sourceHigh,
            long sourceLow,
            int sourcePort,
            long destinationHigh,
            long destinationLow,
            int destinationPort) {
        int value =
                compute(packet, sourceHigh, sourceLow, sourcePort, destinationHigh, destinationLow, destinationPort);
        IcrcInput.put(packet, value);
    }

    /** Returns whether the last 4 bytes of a packet are its ICRC. */
    public boolean matches(
            PacketBuffer packet,
            long sourceHigh,
            long sourceLow,
            int sourcePort,
            long destinationHigh,
            long destinationLow,
            int destinationPort) {
        int value =
                compute(packet, sourceHigh, sourceLow, sourcePort, destinationHigh, destinationLow, destinationPort);
        return IcrcInput.get(packet) == value;
    }

    private int compute(
            PacketBuffer packet,
            long sourceHigh,
            long sourceLow,
            int sourcePort,
            long destinationHigh,
            long destinationLow,
            int destinationPort) {
        int udpLength = IcrcInput.UDP_BYTES + packet.length();
        Ipv6Header.writeMasked(
                input.masked(), IcrcInput.IP, udpLength, sourceHigh, sourceLow, destinationHigh, destinationLow);
        return input.compute(packet, sourcePort, destinationPort);
    }
}
