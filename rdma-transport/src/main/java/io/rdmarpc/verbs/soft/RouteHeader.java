package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * What the receiver of a datagram finds in front of the payload: for RoCE v2 over IPv4 20 bytes without meaning, here zero,
 * then the IPv4 header (RoCE v2 annex A17.4.5.2).
 */
final class RouteHeader {

    /** Length of the area in bytes, that of a GRH. */
    static final int BYTES = 40;

    private static final int UDP_BYTES = 8;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
    private final MemorySegment memory = MemorySegment.ofBuffer(bytes);

    /** Describes a packet's way; {@code packetBytes} are those in UDP. */
    void write(int packetBytes, int sourceIp, int destinationIp) {
        int total = Ipv4Header.BYTES + UDP_BYTES + packetBytes;
        Ipv4Header.write(bytes, BYTES - Ipv4Header.BYTES, total, sourceIp, destinationIp);
    }

    MemorySegment memory() {
        return memory;
    }
}
