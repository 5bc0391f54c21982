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

/** Where packets go and how: made once per address handle or connection, so that sending allocates nothing. */
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

    /** Makes an address of IPv4, a big-endian number, for packets whose ICRC nobody looks at. */
    public static LinkAddress of(int ipv4, int port) {
        return of(new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(ipv4)), port, 0);
    }

    /**
     * Makes an address that packets are sent to from the link's own port.
     *
     * @param port the UDP port there
     * @param sourcePort the UDP port here
     */
    public static LinkAddress of(Gid gid, int port, int sourcePort) {
        return of(gid, port, 0, null, sourcePort);
    }

    /**
     * Makes an address.
     *
     * @param scope the interface's index, for a link-local address
     * @param sender which socket sends, null for the one that also receives
     * @param sourcePort that socket's port
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

    /** Returns the UDP port there. */
    public int port() {
        return socketAddress.getPort();
    }

    /** Returns the UDP port that packets to there come from; it is part of their ICRC. */
    public int sourcePort() {
        return sourcePort;
    }

    /**
     * Returns the same place for packets that the socket that also receives sends, and that is not to be given back: it can be sent
     * to for as long as the link is open.
     *
     * @param listenerPort that socket's port
     */
    public LinkAddress fromListener(int listenerPort) {
        return sender == null ? this : new LinkAddress(gid, socketAddress, null, listenerPort);
    }

    /** Returns which socket sends, null for the one that also receives. */
    @Nullable
    UdpSocket sender() {
        return sender;
    }

    /** Tells whether the kernel may make packets of larger ones: it numbers them in the IP header. */
    boolean takesSegments() {
        return takesAnyIdentification(port());
    }

    /**
     * Tells whether the kernel may number packets in the IP header, which the ICRC covers, and sockets do not show. Only software
     * RNICs, which take that number for 0, are found at another port than that of RoCE.
     */
    static boolean takesAnyIdentification(int port) {
        return port != ROCE_PORT;
    }

    /** Returns what a link has noted here, or null. */
    public @Nullable Object note() {
        return note;
    }

    /** Lets the link that is used with this address note something, so that it need not search when it sends. */
    public void note(Object value) {
        note = value;
    }

    InetSocketAddress socketAddress() {
        return socketAddress;
    }

    /** Returns the address as Linux wants it. */
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
