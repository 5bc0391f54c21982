package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Opens the sockets of a link and sends their buffered packets. */
abstract class UdpSockets {

    private long sendFailures;
    private long receiveFailures;
    private long lostClasses;

    /**
     * Binds a socket.
     *
     * @param port the UDP port, 0 for any free port
     * @param trafficClass traffic class in the IP header of sent packets
     * @throws java.net.BindException if the port is in use or the address is not one of this host
     */
    abstract UdpSocket bind(InetAddress address, int port, int trafficClass) throws IOException;

    /**
     * Binds a socket to any port and connects it to one peer, whose route the kernel then looks up once.
     *
     * @return null if that is not possible
     */
    @Nullable
    UdpSocket connect(InetAddress address, int trafficClass, InetSocketAddress peer) throws IOException {
        return null;
    }

    /** Returns the buffer from which the next packet is sent without a copy, or null. */
    @Nullable
    PacketBuffer nextPacket() {
        return null;
    }

    /** Sends the buffered packets; false if some are left. */
    boolean flush() {
        return true;
    }

    /**
     * Counts packets that the kernel rejected, for lack of a route or because of a firewall; they are lost as in the
     * network.
     */
    final void countSendFailures(int packets) {
        sendFailures += packets;
    }

    final void countReceiveFailure() {
        receiveFailures++;
    }

    /** Counts a route whose packets are sent without the requested traffic class. */
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
