package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC that ends every packet (InfiniBand Architecture Specification vol. 1, 7.8.1; RoCE v2 annex A17.3.3): the
 * CRC-32 of Ethernet, lowest byte first, over what no router changes. Fields that may change count as all ones.
 *
 * <pre>
 *   byte 0      8              28           36        48
 *        ones   IPv4 header    UDP header   BTH       rest of the packet, without the ICRC
 *               TOS, TTL and   checksum     byte 4
 *               checksum ones  ones         ones
 * </pre>
 *
 * The IPv4 identification counts too: Linux sends 0 from a socket that is not connected and insists on DF. One thread at a
 * time.
 */
public final class Icrc {

    /** Length in bytes. */
    public static final int BYTES = 4;

    private static final int IPV4 = 8;
    private static final int UDP = IPV4 + Ipv4Header.BYTES;
    private static final int UDP_BYTES = 8;
    private static final int BTH = UDP + UDP_BYTES;
    private static final int MASKED_BYTES = BTH + Bth.BYTES;
    private static final int BTH_RESERVED = BTH + 4;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer masked = ByteBuffer.allocateDirect(MASKED_BYTES);

    /** Makes a calculator. */
    public Icrc() {
        masked.putLong(0, -1L);
    }

    /**
     * Writes the ICRC into the last 4 bytes of a packet.
     *
     * @param packet the whole packet, its length set
     */
    public void write(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int value = compute(packet, Ipv4Header.DONT_FRAGMENT, sourceIp, sourcePort, destinationIp, destinationPort);
        packet.bytes().putInt(packet.length() - BYTES, value);
    }

    /** Tells whether the last 4 bytes of a packet are its ICRC. */
    public boolean matches(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int value = compute(packet, Ipv4Header.DONT_FRAGMENT, sourceIp, sourcePort, destinationIp, destinationPort);
        return packet.bytes().getInt(packet.length() - BYTES) == value;
    }

    /**
     * Tells with which identification and flags in the IPv4 header the last 4 bytes of a packet are its ICRC. There is always
     * one such value; any other than a plausible one means that the packet was changed on its way.
     *
     * @return bytes 4 to 7 of the IPv4 header
     */
    public int idAndFlags(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int value = compute(packet, Ipv4Header.DONT_FRAGMENT, sourceIp, sourcePort, destinationIp, destinationPort);
        int difference = packet.bytes().getInt(packet.length() - BYTES) ^ value;
        return difference == 0
                ? Ipv4Header.DONT_FRAGMENT
                : Ipv4Header.DONT_FRAGMENT ^ IcrcIdentification.difference(difference, packet.length());
    }

    /**
     * Computes the ICRC of a packet.
     *
     * @param packet the whole packet; its last 4 bytes do not count
     * @param idAndFlags bytes 4 to 7 of the IPv4 header
     * @return the four bytes of the ICRC as they travel
     */
    int compute(
            PacketBuffer packet, int idAndFlags, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        ByteBuffer bytes = packet.bytes();
        int length = packet.length();
        int udpLength = UDP_BYTES + length;
        Ipv4Header.writeMasked(masked, IPV4, Ipv4Header.BYTES + udpLength, idAndFlags, sourceIp, destinationIp);
        masked.putInt(UDP, sourcePort << 16 | destinationPort);
        masked.putInt(UDP + 4, udpLength << 16 | 0xFFFF);
        masked.put(BTH, bytes, 0, Bth.BYTES);
        masked.put(BTH_RESERVED, (byte) 0xFF);
        crc.reset();
        crc.update(masked.clear());
        bytes.limit(length - BYTES).position(Bth.BYTES);
        crc.update(bytes);
        packet.length(length);
        return Integer.reverseBytes((int) crc.getValue());
    }
}
