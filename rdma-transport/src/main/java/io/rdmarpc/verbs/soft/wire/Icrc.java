package io.rdmarpc.verbs.soft.wire;

/**
 * The invariant CRC at the end of every packet (InfiniBand Architecture Specification vol. 1, 7.8.1; RoCE v2 annex
 * A17.3.3). It is the CRC-32 of Ethernet, lowest byte first, over the fields that no router changes. Other fields enter
 * the CRC as all ones.
 *
 * <pre>
 *   byte 0      8              28           36        48
 *        ones   IPv4 header    UDP header   BTH       rest of the packet, without the ICRC
 *               TOS, TTL and   checksum     byte 4
 *               checksum ones  ones         ones
 * </pre>
 *
 * The CRC covers the IPv4 identification, which Linux sends as 0 from an unconnected socket that always sets DF. One
 * thread at a time.
 */
public final class Icrc {

    /** Length in bytes. */
    public static final int BYTES = 4;

    private final IcrcInput input = new IcrcInput(Ipv4Header.BYTES);

    /**
     * Writes the ICRC into the last 4 bytes of a packet.
     *
     * @param packet the whole packet, its length set
     */
    public void write(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int value = compute(packet, Ipv4Header.DONT_FRAGMENT, sourceIp, sourcePort, destinationIp, destinationPort);
        IcrcInput.put(packet, value);
    }

    /** Returns whether the last 4 bytes of a packet are its ICRC, with identification 0 and DF. */
    public boolean matches(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int value = compute(packet, Ipv4Header.DONT_FRAGMENT, sourceIp, sourcePort, destinationIp, destinationPort);
        return IcrcInput.get(packet) == value;
    }

    /**
     * Returns the identification and flags in the IPv4 header with which the last 4 bytes of a packet are its ICRC.
     * There is always exactly one such value. An implausible value means that the packet was changed in transit.
     *
     * @return bytes 4 to 7 of the IPv4 header
     */
    public int idAndFlags(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int value = compute(packet, Ipv4Header.DONT_FRAGMENT, sourceIp, sourcePort, destinationIp, destinationPort);
        int difference = IcrcInput.get(packet) ^ value;
        return difference == 0
                ? Ipv4Header.DONT_FRAGMENT
                : Ipv4Header.DONT_FRAGMENT ^ IcrcIdentification.difference(difference, packet.length());
    }

    /**
     * Computes the ICRC of a packet.
     *
     * @param packet the whole packet; its last 4 bytes are ignored
     * @param idAndFlags bytes 4 to 7 of the IPv4 header
     * @return the four bytes of the ICRC in the order of the packet, the first one highest
     */
    int compute(
            PacketBuffer packet, int idAndFlags, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int ipLength = Ipv4Header.BYTES + IcrcInput.UDP_BYTES + packet.length();
        Ipv4Header.writeMasked(input.masked(), IcrcInput.IP, ipLength, idAndFlags, sourceIp, destinationIp);
        return input.compute(packet, sourcePort, destinationPort);
    }
}
