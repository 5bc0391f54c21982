package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * A JDK socket. It allocates a new address object whenever the sender differs from the previous one; this is its only
 * allocation per packet.
 */
final class ChannelSocket extends UdpSocket {

    private final ChannelSockets owner;
    private final DatagramChannel channel;
    private @Nullable SocketAddress lastSource;
    private long lastSourceHigh;
    private long lastSourceLow;
    private int lastSourcePort;

    private ChannelSocket(ChannelSockets owner, DatagramChannel channel) {
        this.owner = owner;
        this.channel = channel;
    }

    static ChannelSocket bind(ChannelSockets owner, InetAddress address, int port, int trafficClass)
            throws IOException {
        boolean ipv4 = address instanceof Inet4Address;
        DatagramChannel channel =
                DatagramChannel.open(ipv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            channel.configureBlocking(false);
            enlarge(channel, StandardSocketOptions.SO_RCVBUF);
            enlarge(channel, StandardSocketOptions.SO_SNDBUF);
            forbidFragments(channel);
            if (trafficClass != 0) {
                channel.setOption(StandardSocketOptions.IP_TOS, trafficClass);
            }
            channel.bind(new InetSocketAddress(address, port));
            return new ChannelSocket(owner, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Forbids fragmentation. By default Linux sets DF as well, but gives each packet a different identification. Then
     * the ICRC is wrong for peers that are not software RNICs.
     */
    private static void forbidFragments(DatagramChannel channel) throws IOException {
        if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
        }
    }

    /**
     * Enlarges a buffer. Linux reduces larger values to its limit; other systems reject them, so smaller values are
     * tried.
     */
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

    @Override
    int port() {
        return channel.socket().getLocalPort();
    }

    @Override
    int receiveBufferBytes() {
        try {
            return channel.getOption(StandardSocketOptions.SO_RCVBUF);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the buffer size of an open socket", e);
        }
    }

    @Override
    int descriptor() {
        return NO_DESCRIPTOR;
    }

    @Override
    void addChannelTo(List<SelectableChannel> channels) {
        channels.add(channel);
    }

    @Override
    boolean send(PacketBuffer packet, LinkAddress destination) {
        try {
            return channel.send(packet.bytes(), destination.socketAddress()) > 0;
        } catch (IOException e) {
            owner.countSendFailures(1);
            return true;
        } finally {
            packet.length(packet.length());
        }
    }

    @Override
    int receive(int localIndex, int max, LinkPacketHandler handler) {
        PacketBuffer buffer = owner.received();
        int count = 0;
        while (count < max && receiveOne(buffer)) {
            count++;
            handler.onPacket(localIndex, lastSourceHigh, lastSourceLow, lastSourcePort, buffer);
        }
        return polled(count);
    }

    private boolean receiveOne(PacketBuffer buffer) {
        try {
            SocketAddress source = channel.receive(buffer.bytes().clear());
            if (source == null) {
                return false;
            }
            buffer.length(buffer.bytes().position());
            if (!source.equals(lastSource)) {
                remember((InetSocketAddress) source);
            }
            return true;
        } catch (IOException e) {
            owner.countReceiveFailure();
            return false;
        }
    }

    private void remember(InetSocketAddress source) {
        Gid gid = Gid.of(source.getAddress());
        lastSource = source;
        lastSourceHigh = gid.high();
        lastSourceLow = gid.low();
        lastSourcePort = source.getPort();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close a socket", e);
        }
    }
}
