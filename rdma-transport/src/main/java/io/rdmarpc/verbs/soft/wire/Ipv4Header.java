package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The IPv4 header of a packet (RFC 791). Sockets do not expose it, so it is rebuilt as Linux sends it. The ICRC needs
 * it, and receivers of datagrams get it in bytes 20 to 39 of the GRH area (RoCE v2 annex A17.4.5.2).
 *
 * <pre>
 *   byte 0          1    2             4       6                8    9         10        12      16           20
 *        version 4  TOS  total length  ID u16  DF, offset u16   TTL  protocol  checksum  source  destination
 *        IHL 4
 * </pre>
 */
public final class Ipv4Header {

    /** Length in bytes, without options. */
    public static final int BYTES = 20;

    /** Flags and offset of a packet that must not be fragmented. */
    public static final int DONT_FRAGMENT = 0x4000;

    private static final int VERSION_AND_LENGTH = 0x45;
    private static final int PROTOCOL_UDP = 17;
    private static final int DEFAULT_TTL = 64;

    private Ipv4Header() {}

    /**
     * Writes the header of a UDP packet with a valid checksum.
     *
     * @param trafficClass byte 1 of the header
     * @param totalLength bytes of this header, the UDP header and the packet
     * @param idAndFlags bytes 4 to 7 of the header
     */
    public static void write(
            ByteBuffer to, int at, int trafficClass, int totalLength, int idAndFlags, int source, int destination) {
        writeRaw(to, at, trafficClass, totalLength, idAndFlags, DEFAULT_TTL, 0, source, destination);
        to.putShort(at + 10, (short) checksum(to, at));
    }

    /** Writes the header for the ICRC: fields that routers may change are all ones (annex A17.3.3). */
    static void writeMasked(ByteBuffer to, int at, int totalLength, int idAndFlags, int source, int destination) {
        writeRaw(to, at, 0xFF, totalLength, idAndFlags, 0xFF, 0xFFFF, source, destination);
    }

    private static void writeRaw(
            ByteBuffer to, int at, int tos, int total, int idAndFlags, int ttl, int sum, int source, int destination) {
        to.putShort(at, (short) (VERSION_AND_LENGTH << 8 | tos));
        to.putShort(at + 2, (short) total);
        to.putInt(at + 4, idAndFlags);
        to.putInt(at + 8, ttl << 24 | PROTOCOL_UDP << 16 | sum);
        to.putInt(at + 12, source);
        to.putInt(at + 16, destination);
    }

    private static int checksum(ByteBuffer header, int at) {
        int sum = 0;
        for (int i = 0; i < BYTES; i += 2) {
            sum += Short.toUnsignedInt(header.getShort(at + i));
        }
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return ~sum & 0xFFFF;
    }
}
