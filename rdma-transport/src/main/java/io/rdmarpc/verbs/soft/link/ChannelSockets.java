package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;

/** Sockets by the JDK, for all systems and without native access: a system call for each packet. */
final class ChannelSockets extends UdpSockets {

    private final PacketBuffer received = new PacketBuffer();

    @Override
    UdpSocket bind(InetAddress address, int port, int trafficClass) throws IOException {
        return ChannelSocket.bind(this, address, port, trafficClass);
    }

    /** Returns the buffer that all sockets receive into. */
    PacketBuffer received() {
        return received;
    }
}
