package io.rdmarpc.examples.pingpong;

import io.rdmarpc.benchmarks.PeerOptions;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The address exchange of two ping-pong programs. The client sends its address. The server connects its queue pair and
 * sends its own address. The client sends {@code done} with a 0 byte.
 */
final class AddressExchange {

    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private final PeerOptions peer;
    private final IntConsumer listening;
    private final PrintWriter out;

    /**
     * Creates an exchange.
     *
     * @param listening receives the server's TCP port as soon as a client can connect
     * @param out receives both addresses as text
     */
    AddressExchange(PeerOptions peer, IntConsumer listening, PrintWriter out) {
        this.peer = peer;
        this.listening = listening;
        this.out = out;
    }

    /**
     * Exchanges addresses, as server or as client. The server connects before the client knows its address and may
     * send.
     */
    PingPongAddress exchange(PingPongAddress own, Consumer<PingPongAddress> connect) throws IOException {
        out.println("  local address:  " + own);
        PingPongAddress other = peer.host() == null ? serve(own, connect) : call(peer.host(), own, connect);
        out.println("  remote address: " + other);
        return other;
    }

    private PingPongAddress serve(PingPongAddress own, Consumer<PingPongAddress> connect) throws IOException {
        try (ServerSocket listener = peer.listen(listening);
                Socket client = listener.accept()) {
            PingPongAddress other = receive(client);
            connect.accept(other);
            client.getOutputStream().write(own.message());
            client.getInputStream().readNBytes(DONE.length);
            return other;
        }
    }

    private PingPongAddress call(String host, PingPongAddress own, Consumer<PingPongAddress> connect)
            throws IOException {
        try (Socket server = new Socket()) {
            server.connect(new InetSocketAddress(host, peer.tcpPort()), (int) CONNECT_LIMIT.toMillis());
            server.getOutputStream().write(own.message());
            PingPongAddress other = receive(server);
            server.getOutputStream().write(DONE);
            connect.accept(other);
            return other;
        }
    }

    private static PingPongAddress receive(Socket socket) throws IOException {
        byte[] message = socket.getInputStream().readNBytes(PingPongAddress.BYTES);
        if (message.length < PingPongAddress.BYTES) {
            throw new EOFException("the peer closed the connection after " + message.length + " of "
                    + PingPongAddress.BYTES + " bytes of its address; see the peer's output for the reason");
        }
        return PingPongAddress.parse(message);
    }
}
