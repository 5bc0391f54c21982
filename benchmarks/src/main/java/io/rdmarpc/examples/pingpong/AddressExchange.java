package io.rdmarpc.examples.pingpong;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How two ping-pong programs find each other: the client says where it is, the server connects its queue pair and
 * answers, the client says {@code done} with a 0 byte.
 */
final class AddressExchange {

    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private AddressExchange() {}

    /** The server's side. The peer may send as soon as {@code connect} has returned. */
    static PingPongAddress serve(int port, PingPongAddress own, Consumer<PingPongAddress> connect) throws IOException {
        try (ServerSocket listener = new ServerSocket(port);
                Socket client = listener.accept()) {
            PingPongAddress peer = receive(client);
            connect.accept(peer);
            client.getOutputStream().write(own.message());
            client.getInputStream().readNBytes(DONE.length);
            return peer;
        }
    }

    /** The client's side. */
    static PingPongAddress call(String host, int port, PingPongAddress own) throws IOException {
        try (Socket server = new Socket()) {
            server.connect(new InetSocketAddress(host, port), (int) CONNECT_LIMIT.toMillis());
            server.getOutputStream().write(own.message());
            PingPongAddress peer = receive(server);
            server.getOutputStream().write(DONE);
            return peer;
        }
    }

    private static PingPongAddress receive(Socket socket) throws IOException {
        byte[] message = socket.getInputStream().readNBytes(PingPongAddress.BYTES);
        if (message.length < PingPongAddress.BYTES) {
            throw new EOFException("the peer hung up after " + message.length + " of " + PingPongAddress.BYTES
                    + " bytes of its address; its own output says why");
        }
        return PingPongAddress.parse(message);
    }
}
