package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * One bound socket that is never connected and forbids fragments: Linux then sends with identification 0 and DF, as the ICRC
 * wants it. The JDK
 * makes a new address object whenever the sender is another one than before; that is the only allocation per packet.
 */
final class UdpSocket implements AutoCloseable {

    private static final int LARGEST_BUFFER = 64 << 20;
    private static final int SMALLEST_BUFFER = 64 << 10;

    private final DatagramChannel channel;
    private @Nullable SocketAddress lastSource;
    private int lastSourceIp;
    private int lastSourcePort;
    private int emptyPolls;

    private UdpSocket(DatagramChannel channel) {
        this.channel = channel;
    }

    /**
     * Binds a socket.
     *
     * @param port the UDP port, 0 for any
     * @throws java.net.BindException when the port is taken or the address is not one of this host
     */
    static UdpSocket bind(Inet4Address address, int port) throws IOException {
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            channel.configureBlocking(false);
            enlarge(channel, StandardSocketOptions.SO_RCVBUF);
            enlarge(channel, StandardSocketOptions.SO_SNDBUF);
            forbidFragments(channel);
            channel.bind(new InetSocketAddress(address, port));
            return new UdpSocket(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Without this Linux sets DF too, but numbers the packets, and foreign peers find another ICRC than was sent. */
    private static void forbidFragments(DatagramChannel channel) throws IOException {
        if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
        }
    }

    /** Linux takes its own limit when asked for more; other systems refuse, then less is tried. */
    private static void enlarge(DatagramChannel channel, SocketOption<Integer> buffer) {
        int size = LARGEST_BUFFER;
        while (size >= SMALLEST_BUFFER && !grants(channel, buffer, size)) {
            size /= 2;
        }
    }

    private static boolean grants(DatagramChannel channel, SocketOption<Integer> buffer, int size) {
        try {
            channel.setOption(buffer, size);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    SelectableChannel channel() {
        return channel;
    }

    int port() {
        return channel.socket().getLocalPort();
    }

    int receiveBufferBytes() {
        try {
            return channel.getOption(StandardSocketOptions.SO_RCVBUF);
        } catch (IOException e) {
            throw new UncheckedIOException("an open socket tells its buffer size", e);
        }
    }

    /** Returns 0 when the socket's buffer is full, else the bytes taken. */
    int send(PacketBuffer packet, LinkAddress destination) throws IOException {
        int sent = channel.send(packet.bytes(), destination.socketAddress());
        packet.length(packet.length());
        return sent;
    }

    int receive(int localIndex, int max, PacketBuffer buffer, PacketHandler handler) throws IOException {
        int count = 0;
        while (count < max && receiveOne(buffer)) {
            count++;
            handler.onPacket(localIndex, lastSourceIp, lastSourcePort, buffer);
        }
        emptyPolls = count > 0 ? 0 : emptyPolls + 1;
        return count;
    }

    private boolean receiveOne(PacketBuffer buffer) throws IOException {
        SocketAddress source = channel.receive(buffer.bytes().clear());
        if (source == null) {
            return false;
        }
        buffer.length(buffer.bytes().position());
        if (!source.equals(lastSource)) {
            remember((InetSocketAddress) source);
        }
        return true;
    }

    private void remember(InetSocketAddress source) {
        lastSource = source;
        lastSourceIp = LinkAddress.toInt(source.getAddress());
        lastSourcePort = source.getPort();
    }

    /** Returns how many polls in a row found nothing. */
    int emptyPolls() {
        return emptyPolls;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a socket could not be closed", e);
        }
    }
}
