package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;

/** JDK sockets, for all systems and without native access. Each packet takes a system call. */
final class ChannelSockets extends UdpSockets {

    private final PacketBuffer received = new PacketBuffer();

    @Override
    UdpSocket bind(InetAddress address, int port, int trafficClass) throws IOException {
        return ChannelSocket.bind(this, address, port, trafficClass);
    }

    /** Returns the receive buffer of all sockets. */
    PacketBuffer received() {
        return received;
    }
}
