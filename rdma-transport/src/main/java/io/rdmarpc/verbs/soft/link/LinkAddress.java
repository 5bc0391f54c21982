package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A resolved destination of packets, created once per address handle or connection, so that sending allocates nothing.
 */
public final class LinkAddress {

    /** The port of RoCE v2 (annex A17.3.2.2). */
    public static final int ROCE_PORT = 4791;

    private static final long IPV4_MAPPED = 0xFFFF_0000_0000L;

    private final Gid gid;
    private final InetSocketAddress socketAddress;
    private final @Nullable UdpSocket sender;
    private final int sourcePort;
    private final MemorySegment name = MemorySegment.ofArray(new long[4]);
    private final int nameBytes;
    private @Nullable Object note;

    private LinkAddress(Gid gid, InetSocketAddress socketAddress, @Nullable UdpSocket sender, int sourcePort) {
        this.gid = gid;
        this.socketAddress = socketAddress;
        this.sender = sender;
        this.sourcePort = sourcePort;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = SockAddrStruct.allocate(arena, socketAddress);
            name.copyFrom(struct);
            nameBytes = (int) struct.byteSize();
        }
    }

    /** Creates an IPv4 address, from a big-endian number, for packets whose ICRC is not checked. */
    public static LinkAddress of(int ipv4, int port) {
        return of(new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(ipv4)), port, 0);
    }

    /**
     * Creates an address to which packets are sent from the link's own port.
     *
     * @param port the remote UDP port
     * @param sourcePort the local UDP port
     */
    public static LinkAddress of(Gid gid, int port, int sourcePort) {
        return of(gid, port, 0, null, sourcePort);
    }

    /**
     * Creates an address.
     *
     * @param scope the index of the interface, for a link-local address
     * @param sender the socket that sends, null for the one that also receives
     * @param sourcePort port of that socket
     */
    static LinkAddress of(Gid gid, int port, int scope, @Nullable UdpSocket sender, int sourcePort) {
        return new LinkAddress(gid, socketAddress(gid, port, scope), sender, sourcePort);
    }

    static InetSocketAddress socketAddress(Gid gid, int port, int scope) {
        return new InetSocketAddress(address(gid, scope), port);
    }

    private static InetAddress address(Gid gid, int scope) {
        InetAddress address = gid.toInetAddress();
        if (scope == 0 || !gid.isLinkLocal()) {
            return address;
        }
        try {
            return Inet6Address.getByAddress(null, address.getAddress(), scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are always an address", e);
        }
    }

    /** Returns the IP address. */
    public Gid gid() {
        return gid;
    }

    /** Returns the address without the port. */
    public InetAddress inetAddress() {
        return socketAddress.getAddress();
    }

    /** Returns the remote UDP port. */
    public int port() {
        return socketAddress.getPort();
    }

    /** Returns the local UDP port of packets to this address; it is part of their ICRC. */
    public int sourcePort() {
        return sourcePort;
    }

    /**
     * Returns the same destination, with the socket that also receives as the sender. It need not be released and is
     * valid as long as the link is open.
     *
     * @param listenerPort port of that socket
     */
    public LinkAddress fromListener(int listenerPort) {
        return sender == null ? this : new LinkAddress(gid, socketAddress, null, listenerPort);
    }

    /** Returns the socket that sends, null for the one that also receives. */
    @Nullable
    UdpSocket sender() {
        return sender;
    }

    /**
     * Returns whether the kernel may segment larger packets. Each segment gets a different identification in the IP
     * header.
     */
    boolean acceptsSegments() {
        return acceptsAnyIdentification(port());
    }

    /**
     * Returns whether the kernel may choose the identification in the IP header of packets. The ICRC covers it, and
     * sockets do not expose it. A port other than that of RoCE belongs to a software RNIC, which assumes identification
     * 0.
     */
    static boolean acceptsAnyIdentification(int port) {
        return port != ROCE_PORT;
    }

    /** Returns the object that a link has attached, or null. */
    public @Nullable Object note() {
        return note;
    }

    /**
     * Attaches an object of the link that uses this address, so that the link finds it without a look-up for each
     * packet.
     */
    public void note(Object value) {
        note = value;
    }

    InetSocketAddress socketAddress() {
        return socketAddress;
    }

    /** Returns the address as a {@code sockaddr} of Linux. */
    MemorySegment name() {
        return name;
    }

    int nameBytes() {
        return nameBytes;
    }

    @Override
    public String toString() {
        return socketAddress.getAddress().getHostAddress() + ":" + port();
    }
}
