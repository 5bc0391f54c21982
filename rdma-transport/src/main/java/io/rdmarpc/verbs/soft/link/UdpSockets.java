package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Makes the sockets of a link and sends what they have gathered. */
abstract class UdpSockets {

    private long sendFailures;
    private long receiveFailures;
    private long lostClasses;

    /**
     * Binds a socket.
     *
     * @param port the UDP port, 0 for any
     * @param trafficClass what stands in the IP header of packets that it sends
     * @throws java.net.BindException when the port is taken or the address is not one of this host
     */
    abstract UdpSocket bind(InetAddress address, int port, int trafficClass) throws IOException;

    /**
     * Binds a socket to any port that sends to one peer only, for which the kernel then looks up the way once.
     *
     * @return null where that cannot be
     */
    @Nullable
    UdpSocket connect(InetAddress address, int trafficClass, InetSocketAddress peer) throws IOException {
        return null;
    }

    /** Returns the buffer that the next packet goes into without a copy, if there is one. */
    @Nullable
    PacketBuffer nextPacket() {
        return null;
    }

    /** Sends what was gathered; false when some is left. */
    boolean flush() {
        return true;
    }

    /** No route, or a firewall said no: packets are lost as they would be further on. */
    final void countSendFailures(int packets) {
        sendFailures += packets;
    }

    final void countReceiveFailure() {
        receiveFailures++;
    }

    /** A way was made whose packets go without the traffic class that was asked for. */
    final void countLostClass() {
        lostClasses++;
    }

    final long lostClasses() {
        return lostClasses;
    }

    final long sendFailures() {
        return sendFailures;
    }

    final long receiveFailures() {
        return receiveFailures;
    }
}
