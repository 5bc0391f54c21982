package io.rdmarpc.verbs.soft.link;

import static io.rdmarpc.verbs.soft.ffi.LibSocket.IPPROTO_IP;
import static io.rdmarpc.verbs.soft.ffi.LibSocket.IPPROTO_IPV6;
import static io.rdmarpc.verbs.soft.ffi.LibSocket.SOL_SOCKET;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import io.rdmarpc.verbs.soft.ffi.LibSocket;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A Linux socket. All sockets of a link share the memory of the batches. */
final class NativeSocket extends UdpSocket {

    private final NativeSockets owner;
    private final boolean ipv4;
    private int descriptor;
    private boolean connected;

    private NativeSocket(NativeSockets owner, boolean ipv4, int descriptor) {
        this.owner = owner;
        this.ipv4 = ipv4;
        this.descriptor = descriptor;
    }

    static NativeSocket bind(NativeSockets owner, InetAddress address, int port, int trafficClass) throws IOException {
        boolean ipv4 = address instanceof Inet4Address;
        Reply made = LibSocket.datagramSocket(ipv4 ? SockAddrStruct.AF_INET : SockAddrStruct.AF_INET6);
        if (made.value() < 0) {
            throw new IOException("cannot create a UDP socket: errno " + made.capturedErrno());
        }
        NativeSocket socket = new NativeSocket(owner, ipv4, (int) made.value());
        socket.setOptions();
        if (trafficClass != 0 && !socket.setTrafficClass(trafficClass)) {
            socket.close();
            throw new IOException("the kernel rejects traffic class " + trafficClass);
        }
        Reply bound = LibSocket.bind(socket.descriptor, new InetSocketAddress(address, port));
        if (bound.error() != 0) {
            socket.close();
            throw failure(bound.error(), address, port);
        }
        return socket;
    }

    private static IOException failure(int errno, InetAddress address, int port) {
        String text = "bind " + address.getHostAddress() + ":" + port + ": ";
        return switch (errno) {
            case Errno.EADDRINUSE -> new BindException(text + "Address already in use");
            case Errno.EADDRNOTAVAIL -> new BindException(text + "Cannot assign requested address");
            case Errno.EACCES -> new BindException(text + "Permission denied");
            default -> new IOException(text + "errno " + errno);
        };
    }

    /**
     * Sets the options that the kernel supports. The ICRC needs DF, which Linux sets by default only for small packets.
     */
    private void setOptions() {
        if (ipv4) {
            set(IPPROTO_IP, LibSocket.IP_MTU_DISCOVER, LibSocket.IP_PMTUDISC_DO);
            set(IPPROTO_IP, LibSocket.IP_RECVTOS, 1);
        } else {
            set(IPPROTO_IPV6, LibSocket.IPV6_V6ONLY, 1);
            set(IPPROTO_IPV6, LibSocket.IPV6_MTU_DISCOVER, LibSocket.IP_PMTUDISC_DO);
            set(IPPROTO_IPV6, LibSocket.IPV6_RECVTCLASS, 1);
        }
        enlarge(LibSocket.SO_RCVBUFFORCE, LibSocket.SO_RCVBUF);
        enlarge(LibSocket.SO_SNDBUFFORCE, LibSocket.SO_SNDBUF);
        set(LibSocket.SOL_UDP, LibSocket.UDP_GRO, 1);
    }

    private boolean setTrafficClass(int trafficClass) {
        return ipv4
                ? set(IPPROTO_IP, LibSocket.IP_TOS, trafficClass)
                : set(IPPROTO_IPV6, LibSocket.IPV6_TCLASS, trafficClass);
    }

    /** Enlarges a buffer. A size above the system's limit needs CAP_NET_ADMIN; without it the limit applies. */
    private void enlarge(int beyondLimit, int upToLimit) {
        if (!set(SOL_SOCKET, beyondLimit, LARGEST_BUFFER)) {
            set(SOL_SOCKET, upToLimit, LARGEST_BUFFER);
        }
    }

    private boolean set(int level, int option, int value) {
        return LibSocket.setOption(descriptor, level, option, value).error() == 0;
    }

    @Override
    int port() {
        return LibSocket.localAddress(descriptor).getPort();
    }

    /** Linux doubles the requested size for its own overhead, so half of it is returned. */
    @Override
    int receiveBufferBytes() {
        return LibSocket.option(descriptor, SOL_SOCKET, LibSocket.SO_RCVBUF) / 2;
    }

    @Override
    int descriptor() {
        return descriptor;
    }

    /** Connects the socket to one peer; false if the kernel rejects this. */
    boolean connect(InetSocketAddress peer) {
        // Responses arrive at another socket. Packets that arrive here are not read and should not be buffered.
        set(SOL_SOCKET, LibSocket.SO_RCVBUF, 0);
        connected = LibSocket.connect(descriptor, peer).error() == 0;
        return connected;
    }

    boolean isConnected() {
        return connected;
    }

    boolean isIpv4() {
        return ipv4;
    }

    @Override
    boolean send(PacketBuffer packet, LinkAddress destination) {
        return owner.outgoing().add(this, packet, destination);
    }

    @Override
    int receive(int localIndex, int max, LinkPacketHandler handler) {
        return polled(owner.incoming().receive(this, localIndex, max, handler));
    }

    @Override
    public void close() {
        if (descriptor >= 0) {
            LibC.close(descriptor);
            descriptor = NO_DESCRIPTOR;
        }
    }
}
