package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver of a datagram finds in front of the payload: for RoCE v2 over IPv4 20 bytes without meaning, here zero,
 * then the IPv4 header; over IPv6 the IPv6 header. The traffic class, with the ECN bits, is the one that arrived where the
 * socket tells it: with native access. The hop limit is not: 64 stands there (RoCE v2 annex A17.4.5.2).
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

    /** Describes a packet's way; {@code packetBytes} are those in UDP. Most packets are like the one before. */
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
