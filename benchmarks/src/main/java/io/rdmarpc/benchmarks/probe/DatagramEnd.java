package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/** One of two UDP sockets on the loopback address that are connected to each other. Neither socket blocks. */
final class DatagramEnd {

    private static final int BUFFER_BYTES = 4 << 20;

    private DatagramEnd() {}

    static DatagramChannel first(ChildProcess peer) throws IOException {
        DatagramChannel channel = open();
        peer.send(port(channel));
        return connect(channel, peer.line());
    }

    static DatagramChannel second(ProbeRequests requests) throws IOException, InterruptedException {
        DatagramChannel channel = open();
        // Connects before it responds, because the JDK discards datagrams that arrived earlier.
        connect(channel, requests.next());
        requests.respond(port(channel));
        return channel;
    }

    private static DatagramChannel open() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        return channel;
    }

    private static int port(DatagramChannel channel) throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    private static DatagramChannel connect(DatagramChannel channel, String port) throws IOException {
        return channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)));
    }
}
