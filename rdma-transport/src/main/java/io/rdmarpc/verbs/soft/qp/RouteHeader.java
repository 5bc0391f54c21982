package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The 40 bytes in front of a datagram's payload in its receive. RoCE v2 over IPv4: 20 undefined bytes, here zero, then
 * the IPv4 header. Over IPv6: the IPv6 header. The traffic class, with the ECN bits, is the received one if the socket
 * reports it, which needs native access. The hop limit is not known and is set to 64 (RoCE v2 annex A17.4.5.2).
 */
public final class RouteHeader {

    /** Length of the area in bytes, that of a GRH. */
    public static final int BYTES = 40;

    private static final int UDP_BYTES = 8;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
    private final MemorySegment memory = MemorySegment.ofBuffer(bytes);
    private int lastBytes = -1;
    private int lastTrafficClass;
    private long lastSourceHigh;
    private long lastSourceLow;
    private @Nullable Gid lastDestination;

    /**
     * Writes the header of a packet, unless it is the same as that of the packet before. {@code packetBytes} is the UDP
     * payload in bytes.
     */
    public void write(int trafficClass, int packetBytes, long sourceHigh, long sourceLow, Gid destination) {
        if (packetBytes != lastBytes
                || trafficClass != lastTrafficClass
                || sourceLow != lastSourceLow
                || sourceHigh != lastSourceHigh
                || !destination.equals(lastDestination)) {
            lastBytes = packetBytes;
            lastTrafficClass = trafficClass;
            lastSourceLow = sourceLow;
            lastSourceHigh = sourceHigh;
            lastDestination = destination;
            writeAnew(trafficClass, packetBytes, sourceHigh, sourceLow, destination);
        }
    }

    private void writeAnew(int trafficClass, int packetBytes, long sourceHigh, long sourceLow, Gid destination) {
        int udpBytes = UDP_BYTES + packetBytes;
        if (destination.isIpv4Mapped()) {
            bytes.putLong(0, 0).putLong(8, 0).putInt(16, 0);
            int total = Ipv4Header.BYTES + udpBytes;
            int at = BYTES - Ipv4Header.BYTES;
            Ipv4Header.write(
                    bytes, at, trafficClass, total, Ipv4Header.DONT_FRAGMENT, (int) sourceLow, destination.ipv4());
        } else {
            Ipv6Header.write(
                    bytes, 0, trafficClass, udpBytes, sourceHigh, sourceLow, destination.high(), destination.low());
        }
    }

    public MemorySegment memory() {
        return memory;
    }
}
