package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC of a packet over IPv6 (RoCE v2 annex A17.3.3), like {@link Icrc} over IPv4: traffic class, flow label, hop
 * limit and the UDP checksum count as all ones.
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

    private static final int IPV6 = 8;
    private static final int UDP = IPV6 + Ipv6Header.BYTES;
    private static final int UDP_BYTES = 8;
    private static final int BTH = UDP + UDP_BYTES;
    private static final int MASKED_BYTES = BTH + Bth.BYTES;
    private static final int BTH_RESERVED = BTH + 4;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer masked = ByteBuffer.allocateDirect(MASKED_BYTES);

    /** Makes a calculator. */
    public Ipv6Icrc() {
        masked.putLong(0, -1L);
    }

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
        packet.bytes().putInt(packet.length() - Icrc.BYTES, value);
    }

    /** Tells whether the last 4 bytes of a packet are its ICRC. */
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
        return packet.bytes().getInt(packet.length() - Icrc.BYTES) == value;
    }

    private int compute(
            PacketBuffer packet,
            long sourceHigh,
            long sourceLow,
            int sourcePort,
            long destinationHigh,
            long destinationLow,
            int destinationPort) {
        ByteBuffer bytes = packet.bytes();
        int length = packet.length();
        int udpLength = UDP_BYTES + length;
        Ipv6Header.writeMasked(masked, IPV6, udpLength, sourceHigh, sourceLow, destinationHigh, destinationLow);
        masked.putInt(UDP, sourcePort << 16 | destinationPort);
        masked.putInt(UDP + 4, udpLength << 16 | 0xFFFF);
        masked.put(BTH, bytes, 0, Bth.BYTES);
        masked.put(BTH_RESERVED, (byte) 0xFF);
        crc.reset();
        crc.update(masked.clear());
        bytes.limit(length - Icrc.BYTES).position(Bth.BYTES);
        crc.update(bytes);
        packet.length(length);
        return Integer.reverseBytes((int) crc.getValue());
    }
}
