package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * Computes an ICRC over IPv4 or IPv6, from a copy of the headers. {@link Icrc} shows the layout. The caller writes the
 * IP header, with its mutable fields as ones, at {@link #IP} of {@link #masked()}. One thread at a time.
 */
final class IcrcInput {

    /** Offset of the IP header, which follows eight bytes of ones. */
    static final int IP = 8;

    static final int UDP_BYTES = 8;

    private static final int BTH_RESERVED = 4;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer masked;
    private final int udp;
    private final int bth;

    IcrcInput(int ipHeaderBytes) {
        udp = IP + ipHeaderBytes;
        bth = udp + UDP_BYTES;
        masked = ByteBuffer.allocateDirect(bth + Bth.BYTES);
        masked.putLong(0, -1L);
    }

    ByteBuffer masked() {
        return masked;
    }

    /**
     * Computes the ICRC of a packet whose IP header has been written.
     *
     * @param packet the whole packet; its last 4 bytes are ignored
     * @return the four bytes of the ICRC in the order of the packet, the first one highest
     */
    int compute(PacketBuffer packet, int sourcePort, int destinationPort) {
        ByteBuffer bytes = packet.bytes();
        int length = packet.length();
        masked.putInt(udp, sourcePort << 16 | destinationPort);
        masked.putInt(udp + 4, (UDP_BYTES + length) << 16 | 0xFFFF);
        masked.put(bth, bytes, 0, Bth.BYTES);
        masked.put(bth + BTH_RESERVED, (byte) 0xFF);
        crc.reset();
        crc.update(masked.clear());
        bytes.limit(length - Icrc.BYTES).position(Bth.BYTES);
        crc.update(bytes);
        packet.length(length);
        return Integer.reverseBytes((int) crc.getValue());
    }

    /** Writes an ICRC into the last 4 bytes of a packet. */
    static void put(PacketBuffer packet, int icrc) {
        packet.bytes().putInt(packet.length() - Icrc.BYTES, icrc);
    }

    /** Returns the last 4 bytes of a packet. */
    static int get(PacketBuffer packet) {
        return packet.bytes().getInt(packet.length() - Icrc.BYTES);
    }
}
