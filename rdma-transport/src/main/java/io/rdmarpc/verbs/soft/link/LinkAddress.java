package io.rdmarpc.verbs.soft.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where packets go: made once per address handle or connection, so that sending allocates nothing. */
public final class LinkAddress {

    private final int ipv4;
    private final InetSocketAddress socketAddress;

    private @Nullable Object note;

    private LinkAddress(int ipv4, InetSocketAddress socketAddress) {
        this.ipv4 = ipv4;
        this.socketAddress = socketAddress;
    }

    /**
     * Makes an address.
     *
     * @param ipv4 the IPv4 address as a big-endian number
     * @param port the UDP port
     */
    public static LinkAddress of(int ipv4, int port) {
        try {
            byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(ipv4).array();
            return new LinkAddress(ipv4, new InetSocketAddress(InetAddress.getByAddress(bytes), port));
        } catch (UnknownHostException e) {
            throw new AssertionError("4 bytes are always an address", e);
        }
    }

    /** Returns an IPv4 address as a big-endian number. */
    public static int toInt(InetAddress address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    /** Returns the IPv4 address as a big-endian number. */
    public int ipv4() {
        return ipv4;
    }

    /** Returns the address without the port. */
    public InetAddress inetAddress() {
        return socketAddress.getAddress();
    }

    /** Returns the UDP port. */
    public int port() {
        return socketAddress.getPort();
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

    @Override
    public String toString() {
        return socketAddress.getAddress().getHostAddress() + ":" + port();
    }
}
