package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives packets as UDP datagrams, with one socket per local address, all with the same port. Sockets
 * without traffic are polled only every 50 µs, to save system calls on a host with many addresses. The interval is a
 * time and not a number of polls, because an idle owner polls rarely. {@link UdpSenders} has additional sockets that
 * only send.
 */
public final class UdpLink implements PacketLink {

    private static final int PORT_ATTEMPTS = 16;
    private static final int QUIET_AFTER_POLLS = 1024;
    private static final long QUIET_INTERVAL_NANOS = 50_000;

    // The kernel counts the whole buffer of a packet, about twice a payload of 4 KiB, and datagrams need room as well.
    private static final int WINDOW_SHARE = 4;

    private final UdpSockets kind;
    private final List<InetAddress> addresses;
    private final UdpSocket[] sockets;
    private final UdpSenders senders;
    private final int port;
    private int polls;
    private long lastLookAtAllNanos = System.nanoTime();

    private UdpLink(UdpSockets kind, List<InetAddress> addresses, List<UdpSocket> sockets) {
        this.kind = kind;
        this.addresses = addresses;
        this.sockets = sockets.toArray(UdpSocket[]::new);
        this.senders = new UdpSenders(kind, addresses);
        this.port = this.sockets[0].port();
    }

    /**
     * Binds a socket to each address.
     *
     * @param addresses the local addresses, at least one
     * @param port the UDP port, 0 for any port that is free on all of them
     * @throws java.net.BindException if the port is in use or an address is not one of this host
     */
    public static UdpLink open(List<? extends InetAddress> addresses, int port) throws IOException {
        UdpLink link = open(addresses, port, NativeAccess.isGranted() ? NativeSockets::new : ChannelSockets::new);
        BufferNotice.check(link.receiveBufferBytes());
        return link;
    }

    static UdpLink open(List<? extends InetAddress> addresses, int port, Supplier<UdpSockets> kind) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return bindAll(List.copyOf(addresses), port, kind.get());
            } catch (IOException e) {
                if (port != 0 || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static UdpLink bindAll(List<InetAddress> addresses, int port, UdpSockets kind) throws IOException {
        List<UdpSocket> sockets = new ArrayList<>(addresses.size());
        try {
            int common = port;
            for (InetAddress address : addresses) {
                UdpSocket socket = kind.bind(address, common, 0);
                sockets.add(socket);
                common = socket.port();
            }
            return new UdpLink(kind, addresses, sockets);
        } catch (IOException e) {
            sockets.forEach(UdpSocket::close);
            throw e;
        }
    }

    @Override
    public LinkAddress resolve(int localIndex, Gid destination, int peerPort, int trafficClass, int flow) {
        int scope = addresses.get(localIndex) instanceof Inet6Address ipv6 ? ipv6.getScopeId() : 0;
        UdpSocket sender =
                senders.find(localIndex, trafficClass, flow, LinkAddress.socketAddress(destination, peerPort, scope));
        return LinkAddress.of(destination, peerPort, scope, sender, sender == null ? port : sender.port());
    }

    @Override
    public void release(LinkAddress address) {
        if (address.sender() != null) {
            senders.release(address.sender());
        }
    }

    @Override
    public @Nullable PacketBuffer nextPacket() {
        return kind.nextPacket();
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        UdpSocket sender = destination.sender();
        UdpSocket socket = sender == null ? sockets[localIndex] : sender;
        return socket.send(packet, destination);
    }

    @Override
    public void flush() {
        kind.flush();
    }

    @Override
    public int poll(int max, LinkPacketHandler handler) {
        polls++;
        boolean all = isTimeForAll();
        int count = 0;
        int size = sockets.length;
        for (int i = 0; i < size && count < max; i++) {
            int index = (polls + i) % size;
            UdpSocket socket = sockets[index];
            if (all || socket.emptyPolls() < QUIET_AFTER_POLLS) {
                count += socket.receive(index, max - count, handler);
            }
        }
        return count;
    }

    private boolean isTimeForAll() {
        long now = System.nanoTime();
        if (now - lastLookAtAllNanos < QUIET_INTERVAL_NANOS) {
            return false;
        }
        lastLookAtAllNanos = now;
        return true;
    }

    /** {@inheritDoc} Returns the receiving sockets; none if sockets have no descriptor. */
    @Override
    public int[] descriptors() {
        int[] descriptors = new int[sockets.length];
        for (int i = 0; i < sockets.length; i++) {
            descriptors[i] = sockets[i].descriptor();
            if (descriptors[i] == UdpSocket.NO_DESCRIPTOR) {
                return new int[0];
            }
        }
        return descriptors;
    }

    @Override
    public List<SelectableChannel> channels() {
        List<SelectableChannel> channels = new ArrayList<>();
        for (UdpSocket socket : sockets) {
            socket.addChannelTo(channels);
        }
        return channels;
    }

    /**
     * {@inheritDoc} The next poll reads all sockets, because a packet for a socket without recent traffic may have
     * ended the sleep.
     */
    @Override
    public void endSleep() {
        lastLookAtAllNanos = System.nanoTime() - QUIET_INTERVAL_NANOS;
    }

    /**
     * {@inheritDoc} The owner must not sleep while packets wait for room, because no event reports that there is room.
     */
    @Override
    public boolean prepareSleep() {
        return kind.flush();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public int receiveWindowBytes() {
        return receiveBufferBytes() / WINDOW_SHARE;
    }

    /** Returns the size of the smallest receive buffer of a socket. */
    int receiveBufferBytes() {
        int smallest = Integer.MAX_VALUE;
        for (UdpSocket socket : sockets) {
            smallest = Math.min(smallest, socket.receiveBufferBytes());
        }
        return smallest;
    }

    /** Returns the number of packets that the operating system rejected. */
    public long sendFailures() {
        return kind.sendFailures();
    }

    /** Returns the number of routes whose packets are sent without the requested traffic class. */
    public long lostTrafficClasses() {
        return kind.lostClasses();
    }

    /** Returns the number of failed reads from a socket. */
    public long receiveFailures() {
        return kind.receiveFailures();
    }

    @Override
    public void close() {
        kind.flush();
        for (UdpSocket socket : sockets) {
            socket.close();
        }
        senders.close();
    }
}
