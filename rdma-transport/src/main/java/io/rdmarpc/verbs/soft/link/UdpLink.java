package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets as UDP datagrams: one socket per own address, all with the same port. Sockets without traffic are looked at
 * every 50 us only, so that a host with many addresses does not pay a system call for each of them in each poll; by time,
 * not by a count of polls, because an idle owner polls rarely.
 */
public final class UdpLink implements Link {

    /** The port of RoCE v2 (annex A17.3.2.2). */
    public static final int ROCE_PORT = 4791;

    private static final int PORT_ATTEMPTS = 16;
    private static final int QUIET_AFTER_POLLS = 1024;
    private static final long QUIET_INTERVAL_NANOS = 50_000;

    // The kernel counts a packet's whole buffer, for 4 KiB of payload about the double, and datagrams need room too.
    private static final int WINDOW_SHARE = 4;

    private final List<UdpSocket> sockets;
    private final int port;
    private final PacketBuffer received = new PacketBuffer();
    private int polls;
    private long lastLookAtAllNanos = System.nanoTime();
    private long sendFailures;
    private long receiveFailures;

    private UdpLink(List<UdpSocket> sockets) {
        this.sockets = List.copyOf(sockets);
        this.port = sockets.getFirst().port();
    }

    /**
     * Binds a socket to each address.
     *
     * @param addresses own addresses, at least one
     * @param port the UDP port, 0 for any that is free on all of them
     * @throws java.net.BindException when the port is taken or an address is not one of this host
     */
    public static UdpLink open(List<Inet4Address> addresses, int port) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return bindAll(addresses, port);
            } catch (IOException e) {
                if (port != 0 || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static UdpLink bindAll(List<Inet4Address> addresses, int port) throws IOException {
        List<UdpSocket> sockets = new ArrayList<>(addresses.size());
        try {
            int common = port;
            for (Inet4Address address : addresses) {
                UdpSocket socket = UdpSocket.bind(address, common);
                sockets.add(socket);
                common = socket.port();
            }
            return new UdpLink(sockets);
        } catch (IOException e) {
            sockets.forEach(UdpSocket::close);
            throw e;
        }
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        try {
            return sockets.get(localIndex).send(packet, destination) > 0;
        } catch (IOException e) {
            // No route, or a firewall said no: the packet is lost as it would be further on.
            sendFailures++;
            return true;
        }
    }

    @Override
    public int poll(int max, PacketHandler handler) {
        polls++;
        boolean all = isTimeForAll();
        int count = 0;
        int size = sockets.size();
        for (int i = 0; i < size && count < max; i++) {
            int index = (polls + i) % size;
            UdpSocket socket = sockets.get(index);
            if (all || socket.emptyPolls() < QUIET_AFTER_POLLS) {
                count += receive(socket, index, max - count, handler);
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

    private int receive(UdpSocket socket, int index, int max, PacketHandler handler) {
        try {
            return socket.receive(index, max, received, handler);
        } catch (IOException e) {
            receiveFailures++;
            return 0;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public int receiveWindowBytes() {
        int smallest = Integer.MAX_VALUE;
        for (UdpSocket socket : sockets) {
            smallest = Math.min(smallest, socket.receiveBufferBytes());
        }
        return smallest / WINDOW_SHARE;
    }

    @Override
    public List<SelectableChannel> channels() {
        return sockets.stream().map(UdpSocket::channel).toList();
    }

    /** A packet for a quiet socket may have ended the sleep. */
    @Override
    public void endSleep() {
        lastLookAtAllNanos = System.nanoTime() - QUIET_INTERVAL_NANOS;
    }

    /** Returns how many packets the operating system refused to send. */
    public long sendFailures() {
        return sendFailures;
    }

    /** Returns how many reads from a socket failed. */
    public long receiveFailures() {
        return receiveFailures;
    }

    @Override
    public void close() {
        sockets.forEach(UdpSocket::close);
    }
}
