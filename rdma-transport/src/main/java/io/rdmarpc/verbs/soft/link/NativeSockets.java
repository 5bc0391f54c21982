package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Linux sockets that send and receive many packets with one system call. */
final class NativeSockets extends UdpSockets {

    private final SendBatch outgoing = new SendBatch(this);
    private final ReceiveBatch incoming = new ReceiveBatch(this);

    @Override
    UdpSocket bind(InetAddress address, int port, int trafficClass) throws IOException {
        return NativeSocket.bind(this, address, port, trafficClass);
    }

    @Override
    @Nullable
    UdpSocket connect(InetAddress address, int trafficClass, InetSocketAddress peer) throws IOException {
        NativeSocket socket = NativeSocket.bind(this, address, 0, trafficClass);
        if (!socket.connect(peer)) {
            socket.close();
            return null;
        }
        return socket;
    }

    @Override
    @Nullable
    PacketBuffer nextPacket() {
        return outgoing.nextPacket();
    }

    @Override
    boolean flush() {
        return outgoing.flush();
    }

    SendBatch outgoing() {
        return outgoing;
    }

    ReceiveBatch incoming() {
        return incoming;
    }
}
