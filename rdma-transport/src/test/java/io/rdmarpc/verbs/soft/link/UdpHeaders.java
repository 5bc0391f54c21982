package io.rdmarpc.verbs.soft.link;

import static io.rdmarpc.verbs.soft.ffi.LibSocket.IPPROTO_IP;
import static io.rdmarpc.verbs.soft.ffi.LibSocket.IPPROTO_IPV6;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import io.rdmarpc.verbs.soft.ffi.LibSocket;
import io.rdmarpc.verbs.soft.ffi.MessageArray;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/** Reads the IP header of a packet that a link sent. */
final class UdpHeaders {

    private UdpHeaders() {}

    /** Sends a packet with a traffic class and returns the received traffic class. */
    static int trafficClass(Supplier<UdpSockets> kind, InetAddress address, int wanted) throws IOException {
        boolean ipv4 = address instanceof Inet4Address;
        int receiver = (int) LibSocket.datagramSocket(ipv4 ? SockAddrStruct.AF_INET : SockAddrStruct.AF_INET6)
                .value();
        try (UdpLink link = UdpLink.open(List.of(address), 0, kind)) {
            LibSocket.bind(receiver, new InetSocketAddress(address, 0));
            if (ipv4) {
                LibSocket.setOption(receiver, IPPROTO_IP, LibSocket.IP_RECVTOS, 1);
            } else {
                LibSocket.setOption(receiver, IPPROTO_IPV6, LibSocket.IPV6_RECVTCLASS, 1);
            }
            int port = LibSocket.localAddress(receiver).getPort();
            send(link, link.resolve(0, Gid.of(address), port, wanted, 0));
            MessageArray message = receive(receiver);
            return message.trafficClass(0, ipv4);
        } finally {
            LibC.close(receiver);
        }
    }

    private static void send(UdpLink link, LinkAddress peer) {
        PacketBuffer packet = new PacketBuffer();
        packet.length(40);
        link.send(0, peer, packet);
        link.flush();
    }

    private static MessageArray receive(int socket) {
        MessageArray message = new MessageArray(1, 1);
        message.piece(0, new PacketBuffer().memory());
        message.message(0, 0, 1);
        message.prepare(0);
        while (message.receive(socket, 1) <= 0) {
            Thread.onSpinWait();
        }
        return message;
    }
}
