package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The IPv6 header of a packet (RFC 8200), which has the layout of a GRH. Sockets do not expose it, so it is rebuilt.
 * The ICRC needs it, and receivers of datagrams get it in all 40 bytes of the GRH area (RoCE v2 annex A17.4.5.2).
 *
 * <pre>
 *   byte 0                               4               6             7           8        24            40
 *        version 6, class u8, label u20  payload length  next header   hop limit   source   destination
 * </pre>
 */
public final class Ipv6Header {

    /** Length in bytes, without extension headers. */
    public static final int BYTES = 40;

    private static final int VERSION = 6 << 28;
    private static final int CLASS_AND_LABEL = 0x0FFF_FFFF;
    private static final int CLASS_SHIFT = 20;
    private static final int NEXT_HEADER_UDP = 17;
    private static final int DEFAULT_HOP_LIMIT = 64;

    private Ipv6Header() {}

    /**
     * Writes the header of a UDP packet.
     *
     * @param trafficClass a byte
     * @param payloadLength bytes of the UDP header and the packet
     */
    public static void write(
            ByteBuffer to,
            int at,
            int trafficClass,
            int payloadLength,
            long sourceHigh,
            long sourceLow,
            long destinationHigh,
            long destinationLow) {
        to.putInt(at, VERSION | trafficClass << CLASS_SHIFT);
        to.putInt(at + 4, payloadLength << 16 | NEXT_HEADER_UDP << 8 | DEFAULT_HOP_LIMIT);
        writeAddresses(to, at, sourceHigh, sourceLow, destinationHigh, destinationLow);
    }

    /** Writes the header for the ICRC: fields that routers may change are all ones (annex A17.3.3). */
    static void writeMasked(
            ByteBuffer to,
            int at,
            int payloadLength,
            long sourceHigh,
            long sourceLow,
            long destinationHigh,
            long destinationLow) {
        to.putInt(at, VERSION | CLASS_AND_LABEL);
        to.putInt(at + 4, payloadLength << 16 | NEXT_HEADER_UDP << 8 | 0xFF);
        writeAddresses(to, at, sourceHigh, sourceLow, destinationHigh, destinationLow);
    }

    private static void writeAddresses(
            ByteBuffer to, int at, long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
        to.putLong(at + 8, sourceHigh);
        to.putLong(at + 16, sourceLow);
        to.putLong(at + 24, destinationHigh);
        to.putLong(at + 32, destinationLow);
    }
}
